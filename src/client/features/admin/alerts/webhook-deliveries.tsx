import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import type { OutsideChannel } from '#contract/outside/outside-alerts.ts'
import type { Delivery, DeliveryPage } from '#contract/outside/webhooks.ts'
import { call } from '../../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { useFocusOnAdded } from '../../../lib/hooks/use-focus-on-added.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { formatDate } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { LoadingOrError } from '../../../ui/page/load-error.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

type Props = { channel: Pick<OutsideChannel, 'id' | 'address'> }

/** What a webhook was told, in the last 30 days. */
export function WebhookDeliveries({ channel }: Props): JSX.Element {
  const { isOpen, props } = useDialog()
  const { address } = channel
  return (
    <Dialog
      title={t('Deliveries')}
      description={address}
      {...props}
      trigger={
        <Button variant="quiet" aria-label={t('Deliveries to {address}', { address })}>
          {t('Deliveries')}
        </Button>
      }
    >
      {isOpen && <DeliveryLog channel={channel} />}
    </Dialog>
  )
}

function DeliveryLog({ channel: { id } }: Props): JSX.Element {
  const input = { params: { id }, query: {} }
  const { data, isError, refetch } = useFreshApiQuery(api.outsideAlerts.deliveries, input)
  const { getData, setData } = useApiCache()
  const [busy, run] = useTask()
  const reportError = useReportError()
  if (!data) return <LoadingOrError failed={isError} onRetry={refetch} />

  const read = (): DeliveryPage => getData(api.outsideAlerts.deliveries, input) ?? data

  const showMore = (): void =>
    void run(async () => {
      try {
        const before = data.deliveries.at(-1)?.id ?? ''
        const older = await call(api.outsideAlerts.deliveries, { params: { id }, query: { before } })
        setData(api.outsideAlerts.deliveries, input, {
          ...older,
          // One of them may have been sent again meanwhile.
          deliveries: [...read().deliveries, ...older.deliveries],
        })
      } catch (error) {
        reportError(error, 'Failed to load older deliveries')
      }
    })

  const replace = (changed: Delivery): void => {
    const current = read()
    setData(api.outsideAlerts.deliveries, input, {
      ...current,
      deliveries: current.deliveries.map((each) => (each.id === changed.id ? changed : each)),
    })
  }

  if (data.deliveries.length === 0) return <p className="text-text-mute">{t('Nothing was sent yet.')}</p>
  return (
    <>
      <DeliveryList deliveries={data.deliveries} hasOlder={data.hasOlder} onChange={replace} />
      {data.hasOlder && (
        <div>
          <Button pending={busy} onClick={showMore}>
            {t('Show older')}
          </Button>
        </div>
      )}
    </>
  )
}

type ListProps = {
  deliveries: readonly Delivery[]
  hasOlder: boolean
  onChange: (delivery: Delivery) => void
}

function DeliveryList({ deliveries, hasOlder, onChange }: ListProps): JSX.Element {
  const list = useFocusOnAdded(deliveries.length, hasOlder)
  return (
    <ul ref={list} aria-label={t('Deliveries')} className="flex flex-col divide-y divide-rule">
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} onChange={onChange} />
      ))}
    </ul>
  )
}

type RowProps = { delivery: Delivery; onChange: (delivery: Delivery) => void }

function DeliveryRow({ delivery, onChange }: RowProps): JSX.Element {
  const { id, type, at, state, data } = delivery
  const [busy, run] = useTask()
  const { toast } = useToast()
  const reportError = useReportError()
  const sendAgain = (): void =>
    void run(async () => {
      try {
        onChange(await call(api.outsideAlerts.sendAgain, { params: { id } }))
        toast({ title: t('Success'), description: t('It is sent again in a moment') })
      } catch (error) {
        reportError(error, 'Failed to send it again')
      }
    })
  const time = formatDate(at, { dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <li tabIndex={-1} className="flex flex-col gap-1 py-3 outline-none">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <p className="min-w-0 wrap-anywhere">
          <code className="font-semibold">{type}</code> {time}
        </p>
        {state !== 'waiting' && (
          <Button
            variant="quiet"
            pending={busy}
            aria-label={t('Send again: {type} of {time}', { type, time })}
            onClick={sendAgain}
          >
            {t('Send again')}
          </Button>
        )}
      </div>
      <p className={state === 'failed' ? 'font-semibold text-late' : 'text-text-mute'}>
        {stateText(delivery)}
      </p>
      <code dir="ltr" className="text-base wrap-anywhere text-text-mute">
        {data}
      </code>
    </li>
  )
}

function stateText({ state, attempts, last }: Delivery): string {
  const tried = plural(attempts, 'tried once', 'tried {count} times')
  if (last === null) return t('Waits to be sent')
  const time = formatDate(last.at, { dateStyle: 'medium', timeStyle: 'medium' })
  if (last.problem === null)
    return state === 'waiting' ? t('Waits to be sent') : t('Arrived {time}.', { time })
  const failed = t('Failed {time}. {problem}.', { time, problem: t(last.problem) })
  return `${failed} ${state === 'waiting' ? t('{tried}, tried again later', { tried }) : t('{tried}, given up', { tried })}`
}
