import { randomUUID } from 'node:crypto'
import type { Bus } from '../ports/bus.ts'
import type { LimitCount, LimitsSignal } from '../ports/limits.ts'
import { createMemoryRateLimits } from './rate-limits.ts'

/** All in milliseconds. What is counted within one of these is told together. */
const gatherMs = 20
const beatMs = 1_000
/** A server that was not heard of for so long is gone, with its sockets. */
const silentMs = 3_500
/** What fits into a signal of PostgreSQL. */
const perSignal = 20

/** What a server says to the others, and hears from them. */
export type Gossip = {
  /** Says that this server is there, so that the others say what they know, and goes on saying so. */
  start(publish: (signals: LimitsSignal[]) => void): void
  /** From any worker: several may bring the same signal. */
  receive(signal: LimitsSignal): void
  /**
   * Signals may have been lost, in both directions. All is told anew with the next sign of life: once a second at most,
   * however many workers say so, because a broker that cannot keep up says so too.
   */
  missed(): void
  stop(): void
}

type Server = { heardAt: number; number: number; sockets: Map<string, number> }

export type LimitGossip = ReturnType<typeof createLimitGossip>

/**
 * Counts in memory, and tells the other servers what it counted, so that all refuse together. Nobody waits for that: a
 * server that is alone tells nobody anything, and one that hears nothing counts what it sees itself.
 */
export function createLimitGossip({ guests, now }: { guests: boolean; now?: () => number }) {
  const ownId = randomUUID()
  const servers = new Map<string, Server>()
  const counted = new Map<string, LimitCount>()
  const ownSockets = new Map<string, number>()
  const changedSockets = new Set<string>()
  let publish: (signals: LimitsSignal[]) => void = () => {}
  let sent = 0
  let mayHaveMissed = false
  let gathering: NodeJS.Timeout | undefined
  let beating: NodeJS.Timeout | undefined

  const memory = createMemoryRateLimits({
    guests,
    ...(now && { now }),
    onCount([limit, key, count, leftMs]) {
      if (servers.size === 0) return
      const id = `${limit} ${key}`
      counted.set(id, [limit, key, (counted.get(id)?.[2] ?? 0) + count, leftMs])
      gather()
    },
  })

  function gather(): void {
    gathering ??= setTimeout(tellGathered, gatherMs)
  }

  function tellGathered(): void {
    gathering = undefined
    const sockets = [...changedSockets].map((key): [string, number] => [key, ownSockets.get(key) ?? 0])
    tell([...counted.values()], sockets)
    counted.clear()
    changedSockets.clear()
  }

  function tell(
    counts: LimitCount[],
    sockets: [string, number][],
    { asks, ...more }: Pick<LimitsSignal, 'areTotals' | 'asks' | 'leaves'> = {},
  ): void {
    const signals: LimitsSignal[] = []
    for (let at = 0; at === 0 || at < Math.max(counts.length, sockets.length); at += perSignal)
      signals.push({
        kind: 'limits',
        server: ownId,
        number: ++sent,
        counts: counts.slice(at, at + perSignal),
        sockets: sockets.slice(at, at + perSignal),
        ...more,
        // Once is enough: each is answered with everything.
        ...(at === 0 && asks && { asks }),
      })
    publish(signals)
  }

  const tellEverything = (more: { asks?: true } = {}) =>
    tell(memory.totals(), [...ownSockets], { areTotals: true, ...more })

  function forgetSilent(): void {
    for (const [id, { heardAt }] of servers) if (performance.now() - heardAt > silentMs) servers.delete(id)
  }

  const gossip: Gossip = {
    start(publishSignals) {
      publish = publishSignals
      tell([], [])
      beating ??= setInterval(() => {
        forgetSilent()
        if (mayHaveMissed && servers.size > 0) tellEverything({ asks: true })
        else tell([], [])
        mayHaveMissed = false
      }, beatMs).unref()
    },
    receive({ server: id, number, counts, sockets, areTotals = false, asks = false, leaves = false }) {
      const known = servers.get(id)
      if (id === ownId || (known && number <= known.number)) return
      if (leaves) return void servers.delete(id)
      const server = known ?? { heardAt: 0, number, sockets: new Map<string, number>() }
      server.heardAt = performance.now()
      server.number = number
      for (const [key, open] of sockets)
        if (open > 0) server.sockets.set(key, open)
        else server.sockets.delete(key)
      servers.set(id, server)
      memory.add(counts, { areTotals })
      // It may be new, or not have been heard for a while, and then have forgotten this one or not.
      if (!known) tellEverything({ asks: true })
      else if (asks) tellEverything()
    },
    missed() {
      mayHaveMissed = true
    },
    stop() {
      clearInterval(beating)
      clearTimeout(gathering)
      if (gathering) tellGathered()
      tell([], [], { leaves: true })
    },
  }

  return {
    ...gossip,
    limits: memory,

    /** How many sockets of this key are open here. */
    setSockets(key: string, open: number): void {
      if (open > 0) ownSockets.set(key, open)
      else ownSockets.delete(key)
      if (servers.size === 0) return
      changedSockets.add(key)
      gather()
    },

    /** How many are open on all other servers. */
    socketsElsewhere: (key: string): number =>
      [...servers.values()].reduce((sum, { sockets }) => sum + (sockets.get(key) ?? 0), 0),
  }
}

/** Connects a server, or one of its workers, to the others. */
export function joinServers(bus: Bus, gossip: Gossip): { count: () => number; leave: () => void } {
  const heardAt = new Map<string, number>()
  const stopListening = bus.subscribe((signal) => {
    if (signal.kind !== 'limits') return
    if (signal.leaves) heardAt.delete(signal.server)
    else heardAt.set(signal.server, performance.now())
    gossip.receive(signal)
  })
  const stopHearingGaps = bus.onGap(() => gossip.missed())
  gossip.start((signals) => bus.publish(signals))
  return {
    /** This one included, which hears itself too. */
    count() {
      for (const [id, at] of heardAt) if (performance.now() - at > silentMs) heardAt.delete(id)
      return Math.max(1, heardAt.size)
    },
    leave() {
      stopListening()
      stopHearingGaps()
      gossip.stop()
    },
  }
}
