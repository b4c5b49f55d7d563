import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import {
  type AddedOutsideChannel,
  NewOutsideChannel,
  type OutsideChannelKind,
  outsideChannelKinds,
  outsideChannelLabels,
} from '#contract/outside/outside-alerts.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { sendsMail } from '../../../lib/browser/page-settings.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

const texts: Record<OutsideChannelKind, { label: string; hint: string; done: string }> = {
  email: {
    label: 'Email Address',
    hint: 'Gets a code first, to confirm that its owner wants this. It can get the weekly report, too.',
    done: 'A code is on its way to this address',
  },
  ntfy: {
    label: 'Topic Address',
    hint: 'Such as https://ntfy.sh/my-restaurant. Whoever knows a public topic can read it: choose a name that nobody guesses, or use a token.',
    done: 'Address added. Send a test.',
  },
  webhook: {
    label: 'Web Address',
    hint: 'Is called with a message that is signed as Standard Webhooks describes.',
    done: 'Address added. Send a test.',
  },
}

type Props = { onAdded: (added: AddedOutsideChannel) => void }

export function AddOutsideChannel({ onAdded }: Props): JSX.Element {
  const { toast } = useToast()
  const reportError = useReportError()
  const kinds = outsideChannelKinds.filter((kind) => kind !== 'email' || sendsMail())
  const form = useForm({
    initial: { kind: kinds[0] ?? 'ntfy', address: '', token: '' },
    parse: (values) => parse(NewOutsideChannel, values),
    async submit(body, { values, reset }) {
      onAdded(await call(api.outsideAlerts.addChannel, { body }))
      toast({ title: t('Success'), description: t(texts[body.kind].done) })
      reset({ ...values, address: '', token: '' })
    },
    onError: (error) => reportError(error, 'Failed to add the address'),
  })
  const kind = kinds.find((each) => each === form.values.kind) ?? 'ntfy'
  const { label, hint } = texts[kind]
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <SelectField label={t('Add')} {...form.field('kind')}>
        {kinds.map((each) => (
          <option key={each} value={each}>
            {t(outsideChannelLabels[each])}
          </option>
        ))}
      </SelectField>
      <Field
        label={t(label)}
        hint={t(hint)}
        inputMode={kind === 'email' ? 'email' : 'url'}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field('address')}
      />
      {kind === 'ntfy' && (
        <Field
          label={t('Access Token (optional)')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('token')}
        />
      )}
      <div>
        <Button type="submit" pending={form.busy} pendingLabel={t('Adding…')}>
          {t('Add Address')}
        </Button>
      </div>
    </form>
  )
}
