import { type JSX, useState } from 'react'
import { auditActions, type AuditDetail, type AuditEntry } from '#contract/audit.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage, buildUrl } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { ensureRecentSignIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DownloadLink } from '../../ui/download-link.tsx'
import { LoadingOrError } from '../../ui/load-error.tsx'
import { useErrorToast } from '../../ui/toast.tsx'

/** Who changed what in the restaurant, newest first. */
export function ActivityCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.audit.list, {})
  const showError = useErrorToast()

  return (
    <Card
      title="Activity"
      description="Everything that you and your managers changed, who did it and when"
      action={
        <DownloadLink
          href={buildUrl(api.audit.download, {})}
          mayDownload={ensureRecentSignIn}
          onError={(error) => showError(errorMessage(error, 'The activity could not be downloaded'))}
        >
          Download (CSV)
        </DownloadLink>
      }
    >
      {data && <Entries key={data.entries[0]?.id} newest={data.entries} hasOlder={data.hasOlder} />}
      {(!data || isError) && <LoadingOrError failed={isError} onRetry={refetch} />}
    </Card>
  )
}

type EntriesProps = { newest: AuditEntry[]; hasOlder: boolean }

function Entries(props: EntriesProps): JSX.Element {
  const [{ newest, hasOlder }, setShown] = useState(props)
  const [loading, setLoading] = useState(false)
  const showError = useErrorToast()

  async function showOlder(): Promise<void> {
    setLoading(true)
    try {
      const before = newest.at(-1)?.id
      const older = await call(api.audit.list, { query: { before } })
      setShown({ newest: [...newest, ...older.entries], hasOlder: older.hasOlder })
    } catch (error) {
      showError(errorMessage(error, 'Older activity could not be loaded'))
    } finally {
      setLoading(false)
    }
  }

  if (newest.length === 0) return <p className="text-text-mute">Nothing has been changed yet.</p>
  return (
    <>
      <ul className="flex flex-col divide-y divide-rule">
        {newest.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {hasOlder && (
        <div>
          <Button pending={loading} pendingLabel="Loading…" onClick={() => void showOlder()}>
            Show older
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
        <span className="font-semibold">{auditActions[action]}</span>
        {about && `: ${about}`}
      </p>
      <p className="text-text-mute">
        {actorName} · <time dateTime={new Date(at).toISOString()}>{dateTime.format(at)}</time>
      </p>
    </li>
  )
}

const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

const maxShown = 6

function detailText(detail: AuditDetail): string {
  return Object.entries(detail)
    .flatMap(([name, value]) => valueText(name, value))
    .join(' · ')
}

function valueText(name: string, value: AuditDetail[string]): string[] {
  if (value === null || value === '' || value === false) return []
  if (value === true) return [name]
  if (!Array.isArray(value)) return [String(value)]
  const rest = value.length - maxShown
  return value.length === 0
    ? []
    : [value.slice(0, maxShown).join(', ') + (rest > 0 ? ` and ${rest} more` : '')]
}
