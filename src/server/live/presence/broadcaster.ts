import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { Ctx, Signal } from '../../core/ports.ts'
import { listKnown } from '../../core/push/subscriptions.ts'
import { escalateUnattended } from '../../core/requests/escalation.ts'
import type { Connection } from '../connection.ts'
import { createListeningAlarm } from './listening-alarm.ts'
import { createListeningLog } from './listening-log.ts'
import { ListeningScreens } from './listening-screens.ts'
import type { PresenceRegistry } from './registry.ts'
import type { Rooms } from '../rooms.ts'

/** All in milliseconds. */
const batchMs = 50
const reloadGraceMs = 2_000
const readDevicesEveryMs = 60_000
const lapseEveryMs = 1_000

type Options = {
  node: string
  severalNodes: boolean
  broadcast: (to: Iterable<Connection>, message: MessageOf<ServerMessage, 'presence'>) => void
}

type PresenceSignal = Extract<Signal, { kind: 'presence' }>

/** Counts who listens, and tells other nodes, screens, guests, the record and the managers. */
export function createPresenceBroadcaster(ctx: Ctx, board: PresenceRegistry, rooms: Rooms, options: Options) {
  const screens = new ListeningScreens()
  const alarm = createListeningAlarm(ctx)
  const listeningLog = createListeningLog(ctx, options, (...spell) => alarm.interrupted(...spell))
  let stopped = false

  // ---- screens of this node

  const restaurantsToCount = new Set<string>()

  function screensChanged(restaurantId: string, newcomer?: Connection): void {
    if (restaurantsToCount.size === 0) setImmediate(publishCounts)
    restaurantsToCount.add(restaurantId)
    if (newcomer) greet(newcomer)
  }

  function publishCounts(): void {
    const signals = [...restaurantsToCount].map(countScreens)
    restaurantsToCount.clear()
    // What is here is known here at once, however long the bus takes.
    signals.forEach(applySignal)
    ctx.bus.publish(signals)
  }

  function applySignal(signal: PresenceSignal): void {
    const { restaurantId, node } = signal
    if (board.setScreens(restaurantId, node, signal)) presenceChanged(restaurantId, signal.onPurpose ?? false)
  }

  function countScreens(restaurantId: string): PresenceSignal {
    const connections = rooms.inRestaurant(restaurantId)
    const { listening, crew, expected, onPurpose } = screens.count(restaurantId, connections, ctx.now())
    let there = expected
    for (const connection of connections) if (connection.screen) there++
    const { node } = options
    return {
      kind: 'presence',
      node,
      restaurantId,
      listening,
      screens: there,
      crew,
      ...(onPurpose && { onPurpose }),
    }
  }

  // ---- devices that are pushed to

  let deviceReads: Promise<unknown> = Promise.resolve()

  /** Read one after another: what was read last is what is true. */
  function readDevices(read: () => Promise<void>): void {
    deviceReads = deviceReads.then(read).catch((error: unknown) => {
      if (!stopped) ctx.log.error({ error }, 'devices not read')
    })
  }

  function devicesChanged(restaurantId: string, how: { onPurpose: boolean }): void {
    readDevices(async () => {
      if (board.setDevices(restaurantId, await listKnown(ctx, restaurantId)))
        presenceChanged(restaurantId, how.onPurpose)
    })
  }

  /** What no signal said, such as a login that ran out. */
  function readAllDevices(): void {
    readDevices(async () => {
      for (const restaurantId of board.setAllDevices(await listKnown(ctx)))
        presenceChanged(restaurantId, false)
    })
  }

  // ---- telling

  const restaurantsToBroadcast = new Set<string>()
  let broadcastTimer: NodeJS.Timeout | undefined

  /** Screens that come back one after another are told of together, not each to every other. */
  function presenceChanged(restaurantId: string, onPurpose: boolean): void {
    if (stopped) return
    listeningLog.changed(restaurantId)
    alarm.presenceChanged(restaurantId, onPurpose)
    if (restaurantsToBroadcast.size === 0) {
      broadcastTimer = setTimeout(() => {
        for (const one of restaurantsToBroadcast) broadcastPresence(one)
        restaurantsToBroadcast.clear()
      }, batchMs)
    }
    restaurantsToBroadcast.add(restaurantId)
  }

  function broadcastPresence(restaurantId: string): void {
    const everybody = rooms.inRestaurant(restaurantId)
    options.broadcast(everybody, presenceOf(restaurantId))
    for (const connection of everybody) newcomers.delete(connection)
    const unheard = setTimeout(() => {
      unattendedTimers.delete(unheard)
      void checkUnattended(restaurantId)
    }, reloadGraceMs)
    unattendedTimers.add(unheard)
  }

  function presenceOf(restaurantId: string): MessageOf<ServerMessage, 'presence'> {
    const { listening, screens } = ctx.presence(restaurantId)
    return { type: 'presence', listening, screens }
  }

  const newcomers = new Set<Connection>()
  let greetTimer: NodeJS.Timeout | undefined

  /** A screen that changes nothing by coming, as after a reload, is told by itself how things are. */
  function greet(newcomer: Connection): void {
    if (newcomers.size === 0) {
      clearTimeout(greetTimer)
      greetTimer = setTimeout(() => {
        for (const connection of newcomers) {
          const { restaurantId } = connection
          if (restaurantId !== null) options.broadcast([connection], presenceOf(restaurantId))
        }
        newcomers.clear()
      }, 2 * batchMs)
    }
    newcomers.add(newcomer)
  }

  const unattendedTimers = new Set<NodeJS.Timeout>()

  /** A screen that was only reloading is back by now. */
  async function checkUnattended(restaurantId: string): Promise<void> {
    try {
      await escalateUnattended(ctx, restaurantId)
    } catch (error) {
      ctx.log.error({ error, restaurantId }, 'unheard requests not raised')
    }
  }

  const timers = [
    setInterval(readAllDevices, readDevicesEveryMs),
    setInterval(() => {
      for (const restaurantId of board.expireDevices()) presenceChanged(restaurantId, false)
    }, lapseEveryMs),
  ]
  readAllDevices()

  return {
    screensChanged,
    devicesChanged,

    guestAsked: (restaurantId: string) => alarm.guestAsked(restaurantId),

    /** What another node says of its screens. */
    receiveSignal(signal: PresenceSignal): void {
      if (signal.node !== options.node) applySignal(signal)
    },

    sessionsChanged(sessionIds: ReadonlySet<string>, how: { onPurpose: boolean }): void {
      for (const restaurantId of screens.endSessions(sessionIds, how.onPurpose)) screensChanged(restaurantId)
      for (const restaurantId of board.restaurantsOfSessions(sessionIds)) devicesChanged(restaurantId, how)
    },

    tick(now: number): void {
      for (const restaurantId of screens.overdue(now)) screensChanged(restaurantId)
      alarm.tick(now)
    },

    /** Other nodes forget what is not repeated. */
    republish(): void {
      for (const restaurantId of board.expireNodes(options.node)) presenceChanged(restaurantId, false)
      const signals = rooms.restaurants().map(countScreens)
      signals.forEach(applySignal)
      ctx.bus.publish(signals)
    },

    /** Resolves when the devices that are known by now were read. */
    async ready(): Promise<void> {
      await deviceReads
    },

    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      for (const timer of unattendedTimers) clearTimeout(timer)
      clearTimeout(broadcastTimer)
      clearTimeout(greetTimer)
      alarm.stop()
      stopped = true
      await deviceReads
      for (const restaurantId of board.removeNode(options.node)) listeningLog.changed(restaurantId)
      await listeningLog.stop()
    },
  }
}
