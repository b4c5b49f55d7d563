import { type JSX, useCallback, useEffect, useId, useState } from 'react'
import { api } from '#contract/api.ts'
import { minuteMs, secondMs } from '#contract/durations.ts'
import type {
  AddedOutsideChannel,
  OutsideAlertSettings,
  OutsideChannel,
} from '#contract/outside/outside-alerts.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { onWake } from '../../../lib/browser/on-wake.ts'
import { sendsMail } from '../../../lib/browser/page-settings.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Notice } from '../../../ui/page/notice.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useBroadcast } from '../use-broadcast.ts'
import { isConflict, useReportError } from '../use-report-error.ts'
import { AddOutsideChannel } from './add-outside-channel.tsx'
import { OutsideChannels } from './outside-channels.tsx'

const delays = [30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs]

const delayText = (ms: number): string =>
  ms < minuteMs
    ? plural(ms / secondMs, '{count} second', '{count} seconds')
    : plural(ms / minuteMs, '{count} minute', '{count} minutes')

const toFields = (afterMs: number | null) => ({ afterMs: afterMs === null ? '' : `${afterMs}` })

/** Whom a request alerts that not even the manager answers. */
export function OutsideAlerts({ settings }: { settings: OutsideAlertSettings }): JSX.Element {
  const { afterMs, channels } = settings
  const [added, setAdded] = useState<AddedOutsideChannel | null>(null)
  const { getData, setData, invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const listId = useId()
  const isReachable = channels.some(({ confirmed, alerts }) => confirmed && alerts)
  const secret = channels.some(({ id }) => id === added?.channel.id) ? added?.secret : null
  // Another tab or owner may have changed them.
  const readAgain = useCallback(() => void invalidate(api.outsideAlerts.settings), [invalidate])
  const broadcastChange = useBroadcast('outside-alerts', readAgain)
  useEffect(() => onWake(readAgain), [readAgain])

  // The settings may have changed while an answer was on its way.
  const update = (change: (current: OutsideAlertSettings) => Partial<OutsideAlertSettings>): void => {
    const current = getData(api.outsideAlerts.settings, {}) ?? settings
    setData(api.outsideAlerts.settings, {}, { ...current, ...change(current) })
    broadcastChange()
  }
  const updateChannels = (change: (current: OutsideChannel[]) => OutsideChannel[]): void =>
    update((current) => ({ channels: change(current.channels) }))

  const [known, setKnown] = useState(afterMs)
  const delay = useForm({
    initial: toFields(afterMs),
    parse: ({ afterMs: chosen }) => ({
      ok: true,
      value: { afterMs: chosen === '' ? null : Number(chosen) },
    }),
    async submit(body, { reset }) {
      const show = (now: OutsideAlertSettings): void => {
        setKnown(now.afterMs)
        update(() => ({ afterMs: now.afterMs }))
        reset(toFields(now.afterMs))
      }
      try {
        show(await call(api.outsideAlerts.setDelay, { body: { ...body, was: known } }))
        toast({ title: t('Success'), description: t('Alerts saved') })
      } catch (error) {
        if (!isConflict(error)) throw error
        show(await call(api.outsideAlerts.settings))
        delay.showIssue({ field: 'afterMs', message: errorMessage(error, 'Failed to save the alerts') })
      }
    },
    onError: (error) => reportError(error, 'Failed to save the alerts'),
  })

  const choices = known === null || delays.includes(known) ? delays : [...delays, known]
  return (
    <Card
      title={t('If nobody answers')}
      anchor="outside"
      description={t(
        sendsMail()
          ? 'Somebody outside is told when not even the manager answers: by email, ntfy or webhook.'
          : 'Somebody outside is told when not even the manager answers: by ntfy or webhook.',
      )}
    >
      <form {...delay.props} className="flex flex-col gap-4">
        <SelectField label={t('Tell somebody outside')} {...delay.field('afterMs')}>
          <option value="">{t('Never')}</option>
          {choices.map((ms) => (
            <option key={ms} value={ms}>
              {t('{time} after the manager', { time: delayText(ms) })}
            </option>
          ))}
        </SelectField>
        <div>
          <Button type="submit" variant="primary" pending={delay.busy} pendingLabel={t('Saving…')}>
            {t('Save Delay')}
          </Button>
        </div>
      </form>
      {afterMs !== null && !isReachable && (
        <Notice tone="plain">{t('Nobody outside is told yet: add an address.')}</Notice>
      )}
      {channels.length > 0 && (
        <div className="flex flex-col gap-2">
          <h3 id={listId} className="font-semibold">
            {t('Who is told')}
          </h3>
          <OutsideChannels channels={channels} labelledBy={listId} onChange={updateChannels} />
        </div>
      )}
      {secret && <WebhookSecret secret={secret} />}
      <AddOutsideChannel
        onAdded={(next) => {
          updateChannels((current) => [...current, next.channel])
          setAdded(next)
        }}
      />
    </Card>
  )
}

function WebhookSecret({ secret }: { secret: string }): JSX.Element {
  return (
    <div
      role="status"
      className="flex flex-col gap-2 rounded-ticket border border-rule-strong bg-plate-2 p-4"
    >
      <p>
        <strong className="font-semibold">{t('The webhook’s secret.')}</strong>{' '}
        {t('Save it now: it is shown only this once. Your receiver checks each signature with it.')}
      </p>
      <code className="wrap-anywhere select-all">{secret}</code>
    </div>
  )
}
