import { useEffect } from 'react'
import type { LiveChannel } from '../../../api/live/live-channel.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { type RequestsInView, requestsInView } from './requests-in-view.ts'
import type { ShownRequests } from './watched-requests.ts'

const batchMs = 200
/** Until it looks again whether a dialog still covers something. */
const coveredMs = 500
/** With ids of 64 characters it is a message of 13 kB: a longer one than 16 kB costs the connection. */
const maxIds = 200

/**
 * Reports to the server which requests this screen really showed: the number on their ticket or their table's name could
 * be read on a visible page.
 */
export function SeenReport({ tickets, names }: ShownRequests): null {
  const live = useLive()
  useEffect(() => reportSeen(live, [requestsInView(tickets), requestsInView(names)]), [live, tickets, names])
  return null
}

/** What has just come into view is reported if it is still there at the end of the batch: what rushes past is not read. */
function reportSeen(live: LiveChannel, views: readonly RequestsInView[]): () => void {
  const reported = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(ms = batchMs): void {
    if (timer !== undefined || document.hidden) return
    const inView = views.flatMap((view) => [...view.get().inView])
    const due = new Set(inView.filter((id) => !reported.has(id)))
    if (due.size > 0) timer = setTimeout(report, ms, due)
  }
  function report(due: ReadonlySet<string>): void {
    timer = undefined
    if (document.hidden) return
    const read = new Set(views.flatMap((view) => view.listUncovered()))
    const ids = [...due].filter((id) => read.has(id)).slice(0, maxIds)
    for (const id of ids) reported.add(id)
    if (ids.length > 0) {
      live.request({ type: 'requests-seen', ids }).catch(() => {
        for (const id of ids) reported.delete(id)
      })
    }
    schedule(ids.length > 0 ? batchMs : coveredMs)
  }

  const listening = new AbortController()
  document.addEventListener('visibilitychange', () => schedule(), { signal: listening.signal })
  const unsubscribe = views.map((view) => view.subscribe(() => schedule()))
  schedule()
  return () => {
    clearTimeout(timer)
    listening.abort()
    for (const stop of unsubscribe) stop()
  }
}
