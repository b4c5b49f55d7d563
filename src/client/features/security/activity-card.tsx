import { type JSX, useState } from 'react'
import { auditActions, type AuditDetail, type AuditEntry } from '#contract/audit.ts'
import { localName } from '#contract/names.ts'
import type { RestaurantSwitch } from '#contract/accounts/restaurants.ts'
import { api } from '#contract/api.ts'
import { pauseReasonLabels } from '#contract/guests/pause-reasons.ts'
import { serviceTypeLabels } from '#contract/requests/requests.ts'
import { weekdayNames } from '#contract/floor/weekly-pattern.ts'
import { call, errorMessage, buildUrl } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { ensureRecentSignIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DownloadLink } from '../../ui/download-link.tsx'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { useTask } from '../../lib/hooks/use-task.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { t } from '../../lib/texts/translate.ts'
import { weekdayName } from '../../lib/time/weekdays.ts'

type ActivityCardProps = { /** More are shown on demand. */ most?: number }

/** Who changed what in the restaurant, newest first. */
export function ActivityCard({ most = Infinity }: ActivityCardProps): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.audit.list, {})
  const showError = useErrorToast()

  return (
    <Card
      title={t('Activity')}
      description={t('Everything that you and your managers changed, who did it and when')}
      action={
        <DownloadLink
          href={buildUrl(api.audit.download, {})}
          mayDownload={ensureRecentSignIn}
          onError={(error) => showError(errorMessage(error, 'The activity could not be downloaded'))}
        >
          {t('Download (CSV)')}
        </DownloadLink>
      }
    >
      {data && (
        <Entries key={data.entries[0]?.id} newest={data.entries} {...{ hasOlder: data.hasOlder, most }} />
      )}
      {(!data || isError) && <LoadingOrError failed={isError} onRetry={refetch} />}
    </Card>
  )
}

type EntriesProps = { newest: AuditEntry[]; hasOlder: boolean; most: number }

function Entries(props: EntriesProps): JSX.Element {
  const [{ newest, hasOlder, most }, setShown] = useState(props)
  const [loading, run] = useTask()
  const showError = useErrorToast()

  async function showOlder(): Promise<void> {
    if (newest.length > most) return setShown({ newest, hasOlder, most: Infinity })
    try {
      const before = newest.at(-1)?.id
      const older = await call(api.audit.list, { query: { before } })
      setShown({ newest: [...newest, ...older.entries], hasOlder: older.hasOlder, most: Infinity })
    } catch (error) {
      showError(errorMessage(error, 'Older activity could not be loaded'))
    }
  }

  if (newest.length === 0) return <p className="text-text-mute">{t('Nothing has been changed yet.')}</p>
  return (
    <>
      <ul className="flex flex-col divide-y divide-rule">
        {newest.slice(0, most).map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {(hasOlder || newest.length > most) && (
        <div>
          <Button pending={loading} pendingLabel={t('Loading…')} onClick={() => void run(showOlder)}>
            {t('Show older')}
          </Button>
        </div>
      )}
    </>
  )
}

function Entry({ entry: { at, actorName, action, detail } }: { entry: AuditEntry }): JSX.Element {
  const about = detailText(detail)
  return (
    <li className="flex flex-col gap-0.5 py-3 wrap-anywhere">
      <p>
        <span className="font-semibold">{t(auditActions[action])}</span>
        {about && `: ${about}`}
      </p>
      <p className="text-text-mute">
        {localName(actorName, t)} ·{' '}
        <time dateTime={new Date(at).toISOString()}>
          {formatDate(at, { dateStyle: 'medium', timeStyle: 'short' })}
        </time>
      </p>
    </li>
  )
}

const maxShown = 6

function detailText(detail: AuditDetail): string {
  return Object.entries(detail)
    .flatMap(([name, value]) => valueText(name, value))
    .join(' · ')
}

/** Values that are the product's own words; all others are names, numbers and what somebody wrote. */
const labels = new Set<unknown>([...Object.values(serviceTypeLabels), ...Object.values(pauseReasonLabels)])
const restaurantSwitchLabels: Record<RestaurantSwitch, string> = {
  verifiedOnly: 'Verified codes only',
  pinRequired: 'PIN required',
  expectedTimes: 'Expected times',
  managerNotes: 'A word to the manager',
  seating: 'Seat tables',
}
const switchLabels: Record<string, string> = {
  ...restaurantSwitchLabels,
  alerts: 'Alerts that nobody answers',
  weeklyReport: 'Weekly report, on Mondays',
}

function valueText(name: string, value: AuditDetail[string]): string[] {
  if (value === null || value === '') return []
  if (name === 'passwordChanged') return value === true ? [t('New Wi-Fi password')] : []
  const label = switchLabels[name]
  if (value === false) return label === undefined ? [] : [t('{name}: off', { name: t(label) })]
  if (value === true) return [t(label ?? name)]
  if (name === 'until' && typeof value === 'string')
    return [formatDate(new Date(value), { dateStyle: 'medium', timeStyle: 'short' })]
  if (name === 'date' && typeof value === 'string')
    return [formatDate(new Date(value), { dateStyle: 'medium', timeZone: 'UTC' })]
  if (!Array.isArray(value)) return [labels.has(value) ? t(String(value)) : String(value)]
  if (value.length === 0) return []
  if (name === 'weekdays') return [value.map(weekdayText).join(', ')]
  if (name === 'hours') return [value.map(hoursText).join(' · ')]
  const names = value.slice(0, maxShown).join(', ')
  const rest = value.length - maxShown
  return [rest > 0 ? t('{names} and {count} more', { names, count: rest }) : names]
}

/** Stored in English. */
const weekdayText = (name: string): string => weekdayName(weekdayNames.findIndex((each) => each === name))

/** Stored in English, Monday first: `Monday: 11:00–14:00`, `Tuesday: closed`. */
function hoursText(text: string, day: number): string {
  const times = text.slice(text.indexOf(' ') + 1)
  return `${weekdayName(day)}: ${times === 'closed' ? t('closed') : times}`
}
