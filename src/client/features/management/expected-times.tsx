import type { JSX } from 'react'
import type { ExpectedTimes as Data, SimilarRequests } from '#contract/analytics.ts'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { askedText } from '../../lib/texts/asked-text.ts'
import { formatShare } from '../../lib/texts/format.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { Card } from '../../ui/card.tsx'
import { NotYetLoaded } from '../../ui/page/in-order.tsx'
import { DataTable } from './figures/data-table.tsx'

/** What guests are told about how long it takes, and how often it was right. Missing unless the owner uses it. */
export function ExpectedTimes(): JSX.Element | null {
  const { data, isFetched } = useFreshApiQuery(api.analytics.expectedTimes, {})
  if (!isFetched) return <NotYetLoaded />
  if (!data?.on) return null
  return (
    <Card
      title={t('Expected times')}
      description={t('What guests read when they ask, by the number of other open requests')}
    >
      <Kept kept={data.kept} />
      {data.similar.length > 0 && (
        <DataTable
          caption={t('Expected times')}
          columns={[t('Need'), t('Guests read')]}
          rows={data.similar.map((group) => [groupName(group), groupText(group)])}
        />
      )}
    </Card>
  )
}

function Kept({ kept }: Pick<Data, 'kept'>): JSX.Element {
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
  const told = sum(kept.map((each) => each.told))
  if (told === 0) return <p>{t('No guest was told an expected time in the last 30 days.')}</p>
  const share = formatShare(sum(kept.map((each) => each.kept)), told)
  return (
    <>
      <p>
        {plural(
          told,
          'In the last 30 days {count} request had an expected time, which was kept in {share} of cases.',
          'In the last 30 days {count} requests had an expected time, which was kept in {share} of cases.',
          { share },
        )}
      </p>
      <DataTable
        caption={t('Expected times that were kept')}
        columns={[t('Need'), t('Told'), t('Kept')]}
        rows={kept.map((each) => [askedText(each), String(each.told), formatShare(each.kept, each.told)])}
      />
    </>
  )
}

const groupName = ({ others: { from, to }, ...asked }: SimilarRequests): string => {
  const need = askedText(asked)
  return to === null
    ? t('{need}, {from} or more others', { need, from })
    : t('{need}, {from} to {to} others', { need, from, to })
}

function groupText({ expected, requests }: SimilarRequests): string {
  if (expected) {
    const [from, until] = [expected.fromMs / minuteMs, expected.untilMs / minuteMs]
    return from < 1 ? t('within {until} min', { until }) : t('{from} to {until} min', { from, until })
  }
  return requests < 200 ? t('{count} of 200 requests', { count: requests }) : t('varies too much')
}
