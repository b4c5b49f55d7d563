import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import {
  MailedCode,
  type OutsideChannel,
  type OutsideChannelChange,
  outsideChannelLabels,
} from '#contract/outside/outside-alerts.ts'
import { webhookTopicNames, webhookTopics } from '#contract/outside/webhook-topics.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatDate } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'
import { WebhookDeliveries } from './webhook-deliveries.tsx'

type ListProps = {
  channels: OutsideChannel[]
  labelledBy: string
  onChange: (change: (current: OutsideChannel[]) => OutsideChannel[]) => void
}

export function OutsideChannels({ channels, labelledBy, onChange }: ListProps): JSX.Element {
  const removal = useDialog<OutsideChannel>()
  const { toast } = useToast()
  const reportError = useReportError()
  const { container, markRemoved, nextControl } = useFocusAfterRemoval<HTMLUListElement>(
    channels,
    'li > :last-child > button:last-child',
  )

  async function remove({ id, address }: OutsideChannel): Promise<void> {
    try {
      await call(api.outsideAlerts.removeChannel, { params: { id } })
      onChange((current) => current.filter((channel) => channel.id !== id))
      toast({ title: t('Success'), description: t('{name} was removed', { name: address }) })
    } catch (error) {
      reportError(error, 'Failed to remove the address')
    }
  }

  return (
    <>
      <ul ref={container} aria-labelledby={labelledBy} className="flex flex-col gap-4">
        {channels.map((channel, index) => (
          <li key={channel.id} className="flex flex-col gap-2 border-t border-rule pt-4">
            <Channel
              channel={channel}
              onChange={(changed) =>
                onChange((current) => current.map((each) => (each.id === changed.id ? changed : each)))
              }
              onRemove={() => {
                markRemoved(channel, index)
                removal.open(channel)
              }}
            />
          </li>
        ))}
      </ul>
      <RemoveDialog
        dialog={removal}
        title={t('Remove this address?')}
        description={t('Nothing is sent to {address} any more.', { address: removal.subject?.address ?? '' })}
        cancelLabel={t('Keep it')}
        confirmLabel={t('Remove')}
        remove={remove}
        finalFocus={nextControl}
      />
    </>
  )
}

type ChannelProps = {
  channel: OutsideChannel
  onChange: (channel: OutsideChannel) => void
  onRemove: () => void
}

function Channel({ channel, onChange, onRemove }: ChannelProps): JSX.Element {
  const { id, kind, address, confirmed, weeklyReport } = channel
  return (
    <>
      <p className="wrap-anywhere">
        <strong className="font-semibold">{t(outsideChannelLabels[kind])}</strong> {address}
      </p>
      <Outcome channel={channel} />
      {!confirmed && <ConfirmAddress id={id} onConfirmed={onChange} />}
      {confirmed && kind !== 'ntfy' && <WhatItGets channel={channel} onChange={onChange} />}
      <div className="flex flex-wrap gap-3">
        {confirmed && <SendButton what="test" {...{ channel, onChange }} />}
        {weeklyReport && <SendButton what="report" {...{ channel, onChange }} />}
        {kind === 'webhook' && <WebhookDeliveries channel={channel} />}
        <Button variant="quiet" aria-label={t('Remove {name}', { name: address })} onClick={onRemove}>
          {t('Remove')}
        </Button>
      </div>
    </>
  )
}

const sendings = {
  test: {
    route: api.outsideAlerts.sendTest,
    label: 'Send a test',
    name: 'Send a test to {address}',
    sent: 'The test was sent',
    failed: 'Failed to send the test',
  },
  report: {
    route: api.outsideAlerts.sendReport,
    label: "Send last week's report now",
    name: "Send last week's report now to {address}",
    sent: 'The report was sent',
    failed: 'Failed to send the report',
  },
} as const

type SendButtonProps = WhatItGetsProps & { what: keyof typeof sendings }

/** The reply says whether it arrived. */
function SendButton({ what, channel: { id, address }, onChange }: SendButtonProps): JSX.Element {
  const [busy, run] = useTask()
  const { toast } = useToast()
  const reportError = useReportError()
  const { route, label, name, sent, failed } = sendings[what]
  const send = (): void =>
    void run(async () => {
      try {
        const tried = await call(route, { params: { id } })
        onChange(tried)
        if (!tried.last?.problem) toast({ title: t('Success'), description: t(sent) })
      } catch (error) {
        reportError(error, failed)
      }
    })
  return (
    <Button pending={busy} pendingLabel={t('Sending…')} aria-label={t(name, { address })} onClick={send}>
      {t(label)}
    </Button>
  )
}

type WhatItGetsProps = Pick<ChannelProps, 'channel' | 'onChange'>

/** Each switch is saved at once. */
function WhatItGets({ channel, onChange }: WhatItGetsProps): JSX.Element {
  const { id, kind, address, alerts, weeklyReport, topics } = channel
  const [busy, run] = useTask()
  const { toast } = useToast()
  const reportError = useReportError()
  const save = (body: OutsideChannelChange): void =>
    void run(async () => {
      try {
        onChange(await call(api.outsideAlerts.changeChannel, { params: { id }, body }))
        toast({ title: t('Success'), description: t('Address saved') })
      } catch (error) {
        reportError(error, 'Failed to change the address')
      }
    })
  return (
    <ul aria-label={t('What {address} gets', { address })}>
      <li>
        <Checkbox
          label={t('Alerts that nobody answers')}
          checked={alerts}
          disabled={busy}
          onChange={({ target }) => save({ alerts: target.checked })}
        />
      </li>
      {kind === 'email' ? (
        <li>
          <Checkbox
            label={t('Weekly report, on Mondays')}
            checked={weeklyReport}
            disabled={busy}
            onChange={({ target }) => save({ weeklyReport: target.checked })}
          />
        </li>
      ) : (
        webhookTopicNames.map((topic) => (
          <li key={topic}>
            <Checkbox
              label={t(webhookTopics[topic])}
              checked={topics.includes(topic)}
              disabled={busy}
              onChange={() =>
                save({
                  topics: webhookTopicNames.filter((each) => topics.includes(each) !== (each === topic)),
                  was: { topics },
                })
              }
            />
          </li>
        ))
      )}
    </ul>
  )
}

/** Read aloud when a test changes it. */
function Outcome({ channel: { confirmed, last } }: { channel: OutsideChannel }): JSX.Element {
  const problem = last?.problem ?? null
  const time = last && formatDate(last.at, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <p role="status" className={problem === null ? 'text-text-mute' : 'font-semibold text-late'}>
      {problem !== null && time !== null
        ? t('Failed {time}. {problem}.', { time, problem: t(problem) })
        : !confirmed
          ? t('Gets no alerts until you enter the code that was mailed there.')
          : time !== null
            ? t('Arrived {time}.', { time })
            : t('Nothing was sent yet.')}
    </p>
  )
}

type ConfirmProps = { id: string; onConfirmed: (channel: OutsideChannel) => void }

function ConfirmAddress({ id, onConfirmed }: ConfirmProps): JSX.Element {
  const [busy, run] = useTask()
  const { toast } = useToast()
  const reportError = useReportError()
  const form = useForm({
    initial: { code: '' },
    parse: (values) => parse(MailedCode, values),
    async submit(body) {
      onConfirmed(await call(api.outsideAlerts.confirmChannel, { params: { id }, body }))
      toast({ title: t('Success'), description: t('Address confirmed') })
    },
    onError: (error) => reportError(error, 'Failed to confirm the address'),
  })
  const sendCode = (): void =>
    void run(async () => {
      try {
        await call(api.outsideAlerts.sendCode, { params: { id } })
        toast({ title: t('Success'), description: t('A new code is on its way') })
      } catch (error) {
        reportError(error, 'Failed to send a code')
      }
    })
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <Field
        label={t('Code from the Email')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        {...form.field('code')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Confirming…')}>
          {t('Confirm Address')}
        </Button>
        <Button pending={busy} onClick={sendCode}>
          {t('Send a new code')}
        </Button>
      </div>
    </form>
  )
}
