import { type JSX, useState } from 'react'
import * as v from 'valibot'
import {
  NewPasskey as PasskeyInput,
  type OwnPasskeys,
  type Passkey,
  passkeyNameLength,
} from '#contract/accounts/passkeys.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { addPasskey, canUsePasskeys, passkeyErrorMessage } from '../../api/passkeys.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useFocusAfterRemoval } from '../../lib/hooks/use-focus-after-removal.ts'
import { useFocusOnClose } from '../../lib/hooks/use-focus-on-close.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { RemoveDialog } from '../../ui/dialogs/remove-dialog.tsx'
import { type DialogState, useDialog } from '../../ui/dialogs/use-dialog.ts'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useToast } from '../../ui/toast/toast.tsx'
import { lastUsedText } from './last-used-text.ts'
import { ListRow } from './list-row.tsx'
import { useChange } from './use-change.ts'

/** Signing in with a finger, a face or a PIN instead of a password and a code. */
export function PasskeysCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.passkeys.list, {})
  const removal = useDialog<Passkey>()
  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLUListElement>(data?.passkeys ?? [], 'li button')
  return (
    <Card
      title={t('Passkeys')}
      anchor="passkeys"
      description={t(
        'Sign in with your finger, your face or the PIN of your phone or computer, without a password or a code',
      )}
    >
      {data ? (
        <>
          <NewPasskey {...data} onAdded={refetch} />
          {data.passkeys.length > 0 && (
            <ul ref={listRef} aria-label={t('Passkeys')} className="flex flex-col divide-y divide-rule">
              {data.passkeys.map((passkey, index) => (
                <PasskeyRow
                  key={passkey.id}
                  passkey={passkey}
                  onRemove={() => {
                    markRemoved(passkey, index)
                    removal.open(passkey)
                  }}
                />
              ))}
            </ul>
          )}
        </>
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
      <RemovePasskey dialog={removal} finalFocus={nextControl} />
    </Card>
  )
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }): JSX.Element {
  const { name, createdAt, lastUsedAt } = passkey
  const now = useNow(60_000)
  const used = lastUsedAt === null ? t('not used yet') : lastUsedText(lastUsedAt, now)
  return (
    <ListRow
      name={name}
      details={`${t('Added on {day}', { day: formatDate(createdAt, { dateStyle: 'medium' }) })} · ${used}`}
    >
      <Button variant="quiet" aria-label={t('Remove {name}', { name })} onClick={onRemove}>
        {t('Remove')}
      </Button>
    </ListRow>
  )
}

type NewPasskeyProps = OwnPasskeys & { onAdded: () => unknown }

const PasskeyName = v.pick(PasskeyInput, ['name'])

function NewPasskey({ unavailable, passkeys, onAdded }: NewPasskeyProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const opener = useFocusOnClose(open)
  const reason = unavailable ?? unsupportedReason()
  if (reason !== null) return <p>{t(reason)}</p>

  if (!open)
    return (
      <>
        {passkeys.length === 0 && <p>{t('You have none yet. Your password keeps working as well.')}</p>}
        <div>
          <Button
            ref={opener}
            variant={passkeys.length === 0 ? 'primary' : 'secondary'}
            onClick={() => setOpen(true)}
          >
            {t('Add a passkey')}
          </Button>
        </div>
      </>
    )
  return (
    <NameForm
      onAdded={() => {
        setOpen(false)
        onAdded()
      }}
      onCancel={() => setOpen(false)}
    />
  )
}

function NameForm({ onAdded, onCancel }: { onAdded: () => void; onCancel: () => void }): JSX.Element {
  const { toast } = useToast()
  const form = useForm({
    initial: { name: '' },
    parse: (values) => parse(PasskeyName, values),
    async submit({ name }) {
      await addPasskey(name)
      toast({ title: t('Success'), description: t('Passkey added') })
      onAdded()
    },
    onError(error, showIssue) {
      const message = passkeyErrorMessage(error, 'The passkey could not be added. Please try again.')
      if (message !== null) showIssue({ field: 'name', message })
    },
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Field
        label={t('Name of the passkey')}
        hint={t('Where you keep it, such as My phone')}
        autoComplete="off"
        maxLength={passkeyNameLength}
        autoFocus
        required
        {...form.field('name')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" pending={form.busy}>
          {t('Continue')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </div>
    </form>
  )
}

/** The server has passkeys, but not for this page or this browser. */
function unsupportedReason(): string | null {
  if (!('PublicKeyCredential' in window)) return 'This browser cannot use passkeys.'
  return canUsePasskeys() ? null : 'Open this page at the server’s own address to use passkeys.'
}

type RemovePasskeyProps = { dialog: DialogState<Passkey>; finalFocus: () => HTMLElement | null }

function RemovePasskey({ dialog, finalFocus }: RemovePasskeyProps): JSX.Element {
  const [, change] = useChange()
  return (
    <RemoveDialog
      dialog={dialog}
      title={t('Remove {name}?', { name: dialog.subject?.name ?? '' })}
      description={t('Nobody can sign in with it any more, and you are signed out everywhere but here.')}
      confirmLabel={t('Remove passkey')}
      remove={({ id, name }) =>
        change({
          send: async () => await call(api.passkeys.remove, { params: { id } }),
          successMessage: t('{name} was removed', { name }),
          errorMessage: 'The passkey could not be removed',
          refreshes: [api.passkeys.list, api.sessions.list],
        })
      }
      finalFocus={finalFocus}
    />
  )
}
