import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { GuestCard } from '#contract/guests/guest-card.ts'
import { parse } from '#contract/parse.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { usePhoneFold } from '../../../ui/page/use-phone-fold.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { isConflict, useReportError } from '../use-report-error.ts'

/** What is changed together. */
const parts = [['menu'], ['pay'], ['wifiName', 'wifiPassword']] as const

/** What guests find beside their requests. A phone shows the form on demand. */
export function GuestCardSettings({ saved }: { saved: GuestCard }): JSX.Element {
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const [known, setKnown] = useState(saved)
  const fold = usePhoneFold('guest-card')
  const show = (card: GuestCard): void => {
    setKnown(card)
    setData(api.guestCard.state, {}, card)
  }
  const form = useForm({
    initial: saved,
    parse: (values) => parse(GuestCard, values),
    async submit(wanted, { values, reset }) {
      try {
        const card = await call(api.guestCard.set, { body: { ...wanted, was: known } })
        show(card)
        reset(card)
        toast({ title: t('Success'), description: t('Guest card saved') })
      } catch (error) {
        if (!isConflict(error)) throw error
        const now = await call(api.guestCard.state)
        const theirs = parts.filter((part) => part.some((field) => now[field] !== known[field])).flat()
        show(now)
        reset({ ...values, ...Object.fromEntries(theirs.map((field) => [field, now[field]])) })
        const field = theirs.find((each) => values[each] !== known[each]) ?? 'menu'
        form.showIssue({ field, message: errorMessage(error, 'Failed to save the guest card') })
      }
    },
    onError: (error) => reportError(error, 'Failed to save the guest card'),
  })
  const filled = [
    known.menu && t('Menu'),
    known.pay && t('Pay or tip'),
    known.wifiName && `${t('Wi-Fi Name')}: ${known.wifiName}`,
  ]
    .filter((each) => each !== '')
    .join(' · ')
  const typed = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

  return (
    <Card
      title={t('Guest card')}
      anchor="guest-card"
      description={t(
        'What guests find below their requests, in their language and with your opening hours. Leave empty what you do not have.',
      )}
      action={
        fold.isPhone && (
          <Button
            aria-label={`${t('Change')}: ${t('Guest card')}`}
            aria-expanded={fold.isOpen}
            onClick={() => fold.setOpen(!fold.isOpen)}
          >
            {t('Change')}
          </Button>
        )
      }
    >
      {!fold.isShown && filled !== '' && <p className="wrap-anywhere">{filled}</p>}
      {fold.isShown && (
        <form {...form.props} className="flex flex-col gap-4">
          <Field
            label={t('Menu')}
            hint={t('A link to your menu, which may be a PDF. It begins with https://.')}
            inputMode="url"
            {...typed}
            {...form.field('menu')}
          />
          <Field
            label={t('Pay or tip')}
            hint={t('A link where guests can pay or leave a tip.')}
            inputMode="url"
            {...typed}
            {...form.field('pay')}
          />
          <Field label={t('Wi-Fi Name')} {...typed} {...form.field('wifiName')} />
          <Field
            label={t('Wi-Fi Password')}
            hint={t(
              'Only guests who have scanned the code on their table see the Wi-Fi. Leave empty for an open network.',
            )}
            {...typed}
            {...form.field('wifiPassword')}
          />
          <div>
            <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Saving…')}>
              {t('Save Guest Card')}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
