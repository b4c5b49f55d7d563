import type { MessageOf, ServerMessage } from '#contract/live.ts'
import type { Ctx, Signal } from '../core/ports.ts'
import { known } from '../core/devices.ts'
import { leaveNobodyUnheard } from '../core/ladder.ts'
import type { Connection } from './connection.ts'
import { keepListeningAlarm } from './listening-alarm.ts'
import { keepListeningLog } from './listening-log.ts'
import { ListeningScreens } from './listening-screens.ts'
import type { PresenceBoard } from './presence.ts'
import type { Rooms } from './rooms.ts'

/** All in milliseconds. */
const togetherMs = 50
const returnMs = 2_000
const devicesMs = 60_000
const lapseMs = 1_000

type Options = {
  node: string
  severalNodes: boolean
  broadcast: (to: Iterable<Connection>, message: MessageOf<ServerMessage, 'presence'>) => void
}

type PresenceSignal = Extract<Signal, { kind: 'presence' }>

/** Counts who listens, and tells other nodes, screens, guests, the record and the managers. */
export function tellPresence(ctx: Ctx, board: PresenceBoard, rooms: Rooms, options: Options) {
  const screens = new ListeningScreens()
  const alarm = keepListeningAlarm(ctx)
  const listeningLog = keepListeningLog(ctx, options, (...spell) => alarm.interrupted(...spell))
  let stopped = false

  // ---- screens of this node

  const screensToTell = new Set<string>()

  function screensChanged(restaurantId: string, newcomer?: Connection): void {
    if (screensToTell.size === 0) setImmediate(publishScreens)
    screensToTell.add(restaurantId)
    if (newcomer) welcome(newcomer)
  }

  function publishScreens(): void {
    const signals = [...screensToTell].map(countScreens)
    screensToTell.clear()
    // What is here is known here at once, however long the bus takes.
    signals.forEach(heed)
    ctx.bus.publish(signals)
  }

  function heed(signal: PresenceSignal): void {
    const { restaurantId, node } = signal
    if (board.tell(restaurantId, node, signal)) changed(restaurantId, signal.onPurpose ?? false)
  }

  function countScreens(restaurantId: string): PresenceSignal {
    const connections = rooms.of(restaurantId)
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

  let reading: Promise<unknown> = Promise.resolve()

  /** Read one after another: what was read last is what is true. */
  function readDevices(read: () => Promise<void>): void {
    reading = reading.then(read).catch((error: unknown) => {
      if (!stopped) ctx.log.error({ error }, 'devices not read')
    })
  }

  function devicesChanged(restaurantId: string, how: { onPurpose: boolean }): void {
    readDevices(async () => {
      if (board.setDevices(restaurantId, await known(ctx, restaurantId))) changed(restaurantId, how.onPurpose)
    })
  }

  /** What no signal said, such as a login that ran out. */
  function readAllDevices(): void {
    readDevices(async () => {
      for (const restaurantId of board.setAllDevices(await known(ctx))) changed(restaurantId, false)
    })
  }

  // ---- telling

  const toTell = new Set<string>()
  let telling: NodeJS.Timeout | undefined

  /** Screens that come back one after another are told of together, not each to every other. */
  function changed(restaurantId: string, onPurpose: boolean): void {
    if (stopped) return
    listeningLog.changed(restaurantId)
    alarm.changed(restaurantId, onPurpose)
    if (toTell.size === 0) {
      telling = setTimeout(() => {
        for (const one of toTell) tell(one)
        toTell.clear()
      }, togetherMs)
    }
    toTell.add(restaurantId)
  }

  function tell(restaurantId: string): void {
    const everybody = rooms.of(restaurantId)
    options.broadcast(everybody, presenceOf(restaurantId))
    for (const connection of everybody) newcomers.delete(connection)
    const unheard = setTimeout(() => {
      leaving.delete(unheard)
      void noticeUnheard(restaurantId)
    }, returnMs)
    leaving.add(unheard)
  }

  function presenceOf(restaurantId: string): MessageOf<ServerMessage, 'presence'> {
    const { listening, screens } = ctx.presence(restaurantId)
    return { type: 'presence', listening, screens }
  }

  const newcomers = new Set<Connection>()
  let welcoming: NodeJS.Timeout | undefined

  /** A screen that changes nothing by coming, as after a reload, is told by itself how things are. */
  function welcome(newcomer: Connection): void {
    if (newcomers.size === 0) {
      clearTimeout(welcoming)
      welcoming = setTimeout(() => {
        for (const connection of newcomers) {
          const { restaurantId } = connection
          if (restaurantId !== null) options.broadcast([connection], presenceOf(restaurantId))
        }
        newcomers.clear()
      }, 2 * togetherMs)
    }
    newcomers.add(newcomer)
  }

  const leaving = new Set<NodeJS.Timeout>()

  /** A screen that was only reloading is back by now. */
  async function noticeUnheard(restaurantId: string): Promise<void> {
    try {
      await leaveNobodyUnheard(ctx, restaurantId)
    } catch (error) {
      ctx.log.error({ error, restaurantId }, 'unheard requests not raised')
    }
  }

  const timers = [
    setInterval(readAllDevices, devicesMs),
    setInterval(() => {
      for (const restaurantId of board.lapse()) changed(restaurantId, false)
    }, lapseMs),
  ]
  readAllDevices()

  return {
    screensChanged,
    devicesChanged,

    asked: (restaurantId: string) => alarm.asked(restaurantId),

    /** What another node says of its screens. */
    take(signal: PresenceSignal): void {
      if (signal.node !== options.node) heed(signal)
    },

    sessionsChanged(sessionIds: ReadonlySet<string>, how: { onPurpose: boolean }): void {
      for (const restaurantId of screens.end(sessionIds, how.onPurpose)) screensChanged(restaurantId)
      for (const restaurantId of board.ofSessions(sessionIds)) devicesChanged(restaurantId, how)
    },

    tick(now: number): void {
      for (const restaurantId of screens.overdue(now)) screensChanged(restaurantId)
      alarm.tick(now)
    },

    /** Other nodes forget what is not repeated. */
    repeat(): void {
      for (const restaurantId of board.expire(options.node)) changed(restaurantId, false)
      const signals = rooms.restaurants().map(countScreens)
      signals.forEach(heed)
      ctx.bus.publish(signals)
    },

    /** Resolves when the devices that are known by now were read. */
    async ready(): Promise<void> {
      await reading
    },

    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      for (const timer of leaving) clearTimeout(timer)
      clearTimeout(telling)
      clearTimeout(welcoming)
      alarm.stop()
      stopped = true
      await reading
      for (const restaurantId of board.forget(options.node)) listeningLog.changed(restaurantId)
      await listeningLog.stop()
    },
  }
}
