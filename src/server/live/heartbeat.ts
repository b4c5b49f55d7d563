import type { Connection } from './connection.ts'
import { silentAfterMs, tickMs } from './presence/presence-times.ts'

/** All in milliseconds. */
const staffPingMs = 4_500
const guestPingMs = 30_000
const deadAfterMs = 2 * guestPingMs

type Listeners = {
  /** A staff screen has just stopped answering. */
  onSilent: (screen: Connection) => void
  onTick: () => void
}

/**
 * Pings connections that have been quiet, and ends those that no longer answer. Returns a function that stops it. `now` is
 * the clock by which they are marked as heard.
 */
export function startHeartbeat(
  now: () => number,
  connections: ReadonlySet<Connection>,
  { onSilent, onTick }: Listeners,
): () => void {
  let judgement: NodeJS.Immediate | undefined

  function tick(): void {
    const time = now()
    const unheard: Connection[] = []
    for (const connection of connections) {
      beat(connection, time)
      if (!connection.isSilent && time - connection.lastHeardAt > silentAfterMs) unheard.push(connection)
    }
    onTick()
    if (unheard.length === 0) return
    // After whatever has come while the process was busy is read: it may be their answers.
    judgement = setImmediate(() => {
      for (const connection of unheard) if (connection.markSilent(time, silentAfterMs)) onSilent(connection)
    })
  }

  const timer = setInterval(tick, tickMs)
  return () => {
    clearInterval(timer)
    clearImmediate(judgement)
  }
}

function beat(connection: Connection, now: number): void {
  const pingEveryMs = connection.screen ? staffPingMs : guestPingMs
  const { lastHeardAt, lastPingAt, unansweredPings } = connection
  const isPingDue = now - Math.max(lastHeardAt, lastPingAt) >= pingEveryMs
  // The last ping may still be answered until the next one is due.
  const missedPings = isPingDue ? unansweredPings : unansweredPings - 1
  if (missedPings > 1 && now - lastHeardAt > deadAfterMs) connection.terminate()
  else if (isPingDue) connection.ping(now)
}
