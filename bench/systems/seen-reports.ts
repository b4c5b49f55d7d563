/** As the Crew Dashboard waits before it reports tickets that have come into view. */
const seenAfterMs = 200
/** With more, the message may be longer than the server takes: it would close the connection. */
const maxIds = 200

/** Reports what a screen shows that it has not reported before: `report` is called with the ids that are due. */
export function createSeenReports(report: (ids: string[]) => Promise<void>) {
  const due = new Set<string>()
  const reported = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function send(): void {
    timer = undefined
    const ids = [...due].slice(0, maxIds)
    for (const id of ids) {
      due.delete(id)
      reported.add(id)
    }
    if (ids.length > 0)
      report(ids).catch(() => {
        for (const id of ids) if (reported.delete(id)) due.add(id)
      })
    if (due.size > 0) timer = setTimeout(send, seenAfterMs)
  }

  return {
    shown(id: string): void {
      if (reported.has(id)) return
      due.add(id)
      timer ??= setTimeout(send, seenAfterMs)
    },
    gone(id: string): void {
      due.delete(id)
      reported.delete(id)
    },
    stop(): void {
      clearTimeout(timer)
      due.clear()
      reported.clear()
    },
  }
}
