import type { Connection } from './connection.ts'

/** All in milliseconds. */
const tickMs = 500
const staffPingMs = 2_500
const guestPingMs = 30_000
/** A staff screen that has not answered for this long stops counting as listening: with the tick, within 7 seconds. */
const silentAfterMs = 6_500
const deadAfterMs = 2 * guestPingMs

type Listeners = {
  /** A staff screen has just stopped answering. */
  onSilent: (screen: Connection) => void
  onTick: (now: number, tickMs: number) => void
}

/** Pings connections and ends those that no longer answer. Returns a function that stops it. */
export function startHeartbeat(
  now: () => number,
  connections: ReadonlySet<Connection>,
  { onSilent, onTick }: Listeners,
): () => void {
  function tick(): void {
    const time = now()
    for (const connection of connections) {
      beat(connection, time)
      if (connection.markSilent(time, silentAfterMs)) onSilent(connection)
    }
    onTick(time, tickMs)
  }

  const timer = setInterval(tick, tickMs)
  return () => clearInterval(timer)
}

function beat(connection: Connection, now: number): void {
  const pingEveryMs = connection.screen ? staffPingMs : guestPingMs
  if (now - connection.lastPongAt > deadAfterMs) connection.terminate()
  else if (now - connection.lastPingAt >= pingEveryMs) connection.ping(now)
}
