import type { Connection } from './connection.ts'
import { silentAfterMs, tickMs } from './presence/presence-times.ts'

/** All in milliseconds. */
const staffPingMs = 4_500
const guestPingMs = 30_000
const deadAfterMs = 2 * guestPingMs

type Listeners = {
  /** A staff screen has just stopped answering. */
  onSilent: (screen: Connection) => void
  onTick: (now: number) => void
}

/** Pings connections that have been quiet, and ends those that no longer answer. Returns a function that stops it. */
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
    onTick(time)
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
  // A machine that was suspended, or whose clock was set, has asked nobody in that time.
  const isDead = now - connection.lastHeardAt > deadAfterMs && connection.unansweredPings > 1
  if (isDead) connection.terminate()
  else if (now - Math.max(connection.lastHeardAt, connection.lastPingAt) >= pingEveryMs) connection.ping(now)
}
