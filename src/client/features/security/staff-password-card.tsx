import type { JSX } from 'react'
import { StaffPassword } from '#contract/accounts/devices.ts'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { Notice } from '../../ui/page/notice.tsx'
import { useChange } from './use-change.ts'

/** For Restaurant Login on the crew's devices, so that nobody needs the owner's own password there. */
export function StaffPasswordCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.staffPassword.state, {})
  return (
    <Card
      title={t('Staff password')}
      anchor="staff-password"
      description={t("For your crew's devices at Restaurant Login, and for nothing else")}
    >
      {data ? <PasswordSetting setAt={data.setAt} /> : <LoadingOrError failed={isError} onRetry={refetch} />}
    </Card>
  )
}

const refreshes = [api.staffPassword.state, api.devices.list]

function PasswordSetting({ setAt }: { setAt: number | null }): JSX.Element {
  const [busy, change] = useChange()
  const isSet = setAt !== null

  const form = useForm({
    initial: { password: '' },
    parse: (values) => parse(StaffPassword, values),
    async submit(body, { reset }) {
      const saved = await change({
        send: async () => await call(api.staffPassword.set, { body }),
        successMessage: isSet ? 'Staff password changed' : 'Staff password set',
        errorMessage: 'The staff password could not be set',
        refreshes,
      })
      if (saved) reset()
    },
    inline: true,
  })

  const remove = (): void =>
    void change({
      send: async () => await call(api.staffPassword.remove),
      successMessage: 'Staff password removed',
      errorMessage: 'The staff password could not be removed',
      refreshes,
    })

  return (
    <>
      {isSet ? (
        <p>
          {t(
            'Set on {day}. Your own password works at Restaurant Login, too. Changing or removing the staff password signs out the devices that came with it.',
            { day: formatDate(setAt, { dateStyle: 'long' }) },
          )}
        </p>
      ) : (
        <Notice tone="plain">
          {t(
            'Whoever knows your own password can take over this restaurant. Give your crew a password of their own, or sign their devices in with a code.',
          )}
        </Notice>
      )}
      <form {...form.props} className="flex flex-col gap-3">
        <PasswordField
          label={t(isSet ? 'New staff password' : 'Staff password')}
          strength
          hint={t('At least {count} characters, and not your own password', { count: passwordMinLength })}
          autoComplete="new-password"
          {...form.field('password')}
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" pending={busy}>
            {t(isSet ? 'Change staff password' : 'Set staff password')}
          </Button>
          {isSet && (
            <Button variant="danger" disabled={busy} onClick={remove}>
              {t('Remove staff password')}
            </Button>
          )}
        </div>
      </form>
    </>
  )
}
