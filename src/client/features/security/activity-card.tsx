import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { auditActions, type AuditEntry } from '#contract/audit.ts'
import { localName } from '#contract/names.ts'
import { call, errorMessage, buildUrl } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { ensureRecentSignIn } from '../../api/session.ts'
import { useFocusOnAdded } from '../../lib/hooks/use-focus-on-added.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DownloadLink } from '../../ui/download-link.tsx'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { detailText } from './activity-text.ts'

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
  const shown = newest.slice(0, most)
  const hasMore = hasOlder || newest.length > most
  const list = useFocusOnAdded(shown.length, hasMore)

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
      <ul ref={list} className="flex flex-col divide-y divide-rule">
        {shown.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {hasMore && (
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
    <li tabIndex={-1} className="flex flex-col gap-0.5 py-3 wrap-anywhere outline-none">
      <p>
        <span className="font-semibold">{t(auditActions[action])}</span>
        {about && `: ${about}`}
      </p>
      <p className="text-text-mute">
        {localName(actorName, t)} ·{' '}
        <time dateTime={new Date(at).toISOString()} className="inline-block">
          {formatDate(at, { dateStyle: 'medium', timeStyle: 'short' })}
        </time>
      </p>
    </li>
  )
}
