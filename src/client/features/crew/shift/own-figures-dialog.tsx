import { type JSX, useState } from 'react'
import type { Figures, Totals } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { serviceTypeLabels } from '#contract/requests/requests.ts'
import { useApiQuery } from '../../../api/queries.ts'
import { ownWords } from '../../../lib/texts/asked-text.ts'
import { formatDurationOr, formatShare } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import { addDays, localDate } from '../../../lib/time/dates.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { Tabs } from '../../../ui/tabs.tsx'

const ranges = { 1: 'Today', 7: '7 days', 30: '30 days' } as const
type Range = '1' | '7' | '30'
const rangeNames: readonly Range[] = ['1', '7', '30']

type OwnFiguresDialogProps = { open: boolean; onOpenChange: (open: boolean) => void }

/** The crew member's own figures: requests at their tables and their answers. There is no comparison with others. */
export function OwnFiguresDialog({ open, onOpenChange }: OwnFiguresDialogProps): JSX.Element {
  const [range, setRange] = useState<Range>('7')
  return (
    <Dialog
      tapFirst
      title={t('My figures')}
      description={t('Requests at your tables and those that you answered. Nobody is ranked.')}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Tabs
        label={t('Days')}
        tabs={rangeNames.map((value) => ({ value, label: t(ranges[value]) }))}
        value={range}
        onChange={setRange}
      >
        <RangeFigures days={Number(range)} />
      </Tabs>
    </Dialog>
  )
}

function RangeFigures({ days }: { days: number }): JSX.Element {
  const to = localDate(useNow(60_000))
  const figures = useApiQuery(api.analytics.figures, { query: { from: addDays(to, 1 - days), to } })
  if (figures.error) return <p role="alert">{t('Your figures could not be read. Please try again.')}</p>
  if (!figures.data) return <Spinner />
  if (figures.data.totals.requests === 0)
    return <p className="py-6 text-center text-text-mute">{t('No requests yet')}</p>
  return (
    <div className="flex flex-col gap-6 pt-2">
      {figures.data.scope === 'restaurant' && (
        <p role="note">
          {t("A manager is signed in to this browser too: these are the whole restaurant's figures.")}
        </p>
      )}
      <Summary totals={figures.data.totals} />
      <ByType figures={figures.data} />
    </div>
  )
}

function Summary({ totals }: { totals: Totals }): JSX.Element {
  const { requests, times, withinTarget, repeatedAsks, stillWaiting } = totals
  const rows: [string, string][] = [
    ['Requests', String(requests)],
    ['Response time, median', formatDurationOr(times.response?.medianMs)],
    ['Response time, slowest tenth', formatDurationOr(times.response?.p90Ms)],
    ['Within target', formatShare(withinTarget.within, withinTarget.of)],
    ['Asked again', String(repeatedAsks)],
    ['“Still waiting”', String(stillWaiting)],
  ]
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-2">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-mute">{t(name)}</dt>
          <dd className="text-end font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function ByType({ figures: { byType, byNeed = [] } }: { figures: Figures }): JSX.Element {
  const rows = [
    ...byType.map((type) => ({ ...type, name: t(serviceTypeLabels[type.serviceType]) })),
    ...byNeed.map((own) => ({ ...own, name: ownWords(own.need.name) })),
  ]
  return (
    <table className="w-full text-base">
      <caption className="pb-2 text-start font-semibold">{t('By type')}</caption>
      <thead>
        <tr className="text-text-mute *:py-1 *:font-normal">
          <th scope="col" className="text-start">
            {t('Type')}
          </th>
          <th scope="col" className="text-end">
            {t('Requests')}
          </th>
          <th scope="col" className="text-end">
            {t('Median')}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-rule">
        {rows
          .filter(({ requests }) => requests > 0)
          .map(({ name, requests, response }, index) => (
            <tr key={index} className="*:py-1.5">
              <th scope="row" className="text-start font-normal">
                {name}
              </th>
              <td className="text-end">{requests}</td>
              <td className="text-end">{formatDurationOr(response?.medianMs)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
