import Check from 'lucide-react/icons/check'
import { type JSX, useEffect, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { formatDuration } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useIsBefore } from '../heat.ts'

/** Several may be completed at once. While nothing is, nothing is asked. */
const refreshDelayMs = 2000

/** What is behind the crew. `latest` is another one after each request that is completed or reopened. */
export function DoneToday({ latest }: { latest: string }): JSX.Element | null {
  const { data } = useFreshApiQuery(api.analytics.doneToday, {})
  const { invalidate } = useApiCache()
  const isToday = useIsBefore(data?.until ?? Infinity)
  const shown = useRef(latest)
  useEffect(() => {
    if (shown.current === latest && isToday) return undefined
    const timer = setTimeout(() => {
      shown.current = latest
      void invalidate(api.analytics.doneToday)
    }, refreshDelayMs)
    return () => clearTimeout(timer)
  }, [latest, isToday, invalidate])
  if (!data || !isToday || data.done === 0) return null
  return (
    <p className="wall-done">
      <span className="wall-done-count">
        <Check aria-hidden />
        {t('{count} done today', { count: data.done })}
      </span>
      {data.medianResponseMs !== null && (
        <span>{t('half answered within {time}', { time: formatDuration(data.medianResponseMs) })}</span>
      )}
    </p>
  )
}
