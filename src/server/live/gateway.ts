import type { ErrorBody } from '#contract/errors.ts'
import { type ClientMessage, closeCodes, type ServerMessage } from '#contract/live.ts'
import { liveOperations } from '#contract/permissions.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ports.ts'
import { type Event, type Topic, topicName } from '../core/topics.ts'
import { explain } from '../core/errors.ts'
import { logRefusal } from '../core/security-log.ts'
import { touch } from '../core/sessions.ts'
import * as streams from '../core/streams.ts'
import { socketPlaces } from './admission.ts'
import { Connection, type Socket } from './connection.ts'
import { type Answer, dispatch, resend } from './handlers.ts'
import { parse, parseJson, refOf } from './incoming.ts'
import { messageBudgets } from './message-budgets.ts'
import type { PresenceBoard } from './presence.ts'
import { tellPresence } from './presence-news.ts'
import { Rooms } from './rooms.ts'
import { createSessionChecker } from './session-checker.ts'
import { StreamOrder } from './stream-order.ts'

/** All in milliseconds. */
const staffPingMs = 2_500
const guestPingMs = 30_000
/** A staff screen that did not answer for so long does not count as listening: with the tick in 7 seconds. */
const silenceMs = 6_500
const tickMs = 500
const compareMs = 5_000
const catchUpMs = 500

export type Gateway = ReturnType<typeof createGateway>

/** Sockets on one side, operations and the bus on the other. Knows no product rule. */
export function createGateway(
  ctx: Ctx,
  board: PresenceBoard,
  options: { node: string; severalNodes: boolean },
) {
  const connections = new Set<Connection>()
  const rooms = new Rooms((...change) => presence.screensChanged(...change))
  const order = new StreamOrder((stream) => void recover(stream))
  const presence = tellPresence(ctx, board, rooms, { ...options, broadcast })
  /** What each connection said last, until it was handled: before the database closes. */
  const handling = new Map<Connection, Promise<void>>()
  const takePlace = socketPlaces()
  const spend = messageBudgets()
  const checker = createSessionChecker(ctx, connections, dismiss)
  let draining = false

  /** Sends it away: it leaves all rooms at once, whenever its other side lets go. */
  function dismiss(connection: Connection, ...why: Parameters<Connection['close']>): void {
    connection.close(...why)
    rooms.remove(connection)
  }

  // ---- events from the bus

  const unsubscribe = ctx.bus.subscribe((signal) => {
    switch (signal.kind) {
      case 'event':
        if (signal.event.message.type === 'new-request') presence.asked(signal.event.topic.restaurantId)
        return deliver(signal.event)
      case 'sessions-changed': {
        const sessionIds = new Set(signal.sessionIds)
        const onPurpose = signal.onPurpose ?? false
        presence.sessionsChanged(sessionIds, { onPurpose })
        return checker.sessionsChanged(sessionIds, { onPurpose })
      }
      case 'crew-member-changed':
        return checker.crewMemberChanged(signal.crewMemberId)
      case 'presence':
        return presence.take(signal)
      case 'devices-changed':
        return presence.devicesChanged(signal.restaurantId, { onPurpose: signal.onPurpose ?? false })
      case 'missed':
        return void compareStreams()
    }
  })
  const stopGaps = ctx.bus.onGap(() => {
    void compareStreams()
    presence.repeat()
    checker.everythingMayHaveChanged()
  })

  function deliver({ topic, message }: Event): void {
    const stream = nameOf(topic)
    if (rooms.of(topic.restaurantId).size === 0) return order.forget(stream)
    const send = () => broadcast(rooms.at(topicName(topic)), message)
    if (message.seq === undefined) send()
    else order.take(stream, message.seq, topic.kind !== 'table', send)
  }

  const nameOf = (topic: Topic) => `${topic.restaurantId} ${streams.streamName(topic)}`

  async function follow(topic: Topic): Promise<void> {
    const stream = nameOf(topic)
    if (order.position(stream) !== undefined) return
    order.startAt(stream, await streams.position(ctx, topic.restaurantId, streams.streamName(topic)))
  }

  function broadcast(to: Iterable<Connection>, message: ServerMessage): void {
    let text: string | null = null
    for (const connection of to) connection.send((text ??= JSON.stringify(message)))
  }

  /** A number stayed missing: everybody of that restaurant is made whole from the rows. */
  async function recover(stream: string): Promise<void> {
    const [restaurantId = '', name = ''] = stream.split(' ')
    try {
      const seq = await streams.position(ctx, restaurantId, name)
      order.skipTo(stream, seq)
      const everybody = [...rooms.of(restaurantId)]
      const staff = everybody.filter(
        (connection) => connection.screen !== null || connection.actor.crewMember,
      )
      for (const guest of everybody)
        if (!staff.includes(guest)) dismiss(guest, closeCodes.restart, 'Please come back')
      await Promise.all(staff.map((connection) => resend(ctx, connection)))
    } catch (error) {
      ctx.log.error({ error, restaurantId }, 'live stream not recovered')
    }
  }

  /** Delivery is at most once: whoever is behind the rows, and stays behind, gets a snapshot. */
  async function compareStreams(): Promise<void> {
    try {
      const behind = await streamsBehind()
      if (behind.length === 0) return
      setTimeout(() => {
        for (const { stream, lastSeq } of behind) {
          if ((order.position(stream) ?? lastSeq) < lastSeq) void recover(stream)
        }
      }, catchUpMs)
    } catch (error) {
      ctx.log.error({ error }, 'live streams not compared')
    }
  }

  async function streamsBehind(): Promise<{ stream: string; lastSeq: number }[]> {
    const positions = await streams.positions(ctx, rooms.restaurants())
    return positions.flatMap(({ restaurantId, name, lastSeq }) => {
      const stream = `${restaurantId} ${name}`
      const at = order.position(stream)
      return at !== undefined && at < lastSeq ? [{ stream, lastSeq }] : []
    })
  }

  // ---- messages from clients

  async function receive(from: Connection, text: string): Promise<void> {
    if (from.isClosing) return
    let ref: string | undefined
    let asked = 'message'
    try {
      if (!from.takeToken(ctx.now())) {
        from.answer({
          type: 'error',
          code: 'rate_limited',
          message: 'Too many messages. Please wait a moment.',
        })
        return dismiss(from, closeCodes.flooding, 'Too many messages')
      }
      const given = parseJson(text)
      ref = refOf(given)
      const message = parse(given)
      asked = message.type
      if (!(await checker.mayHandle(from, message.type))) return
      if (ctx.settings.guestLimits) spend(from, message, ctx.now())
      const answer = await dispatch({ ctx, from, rooms, follow }, message)
      // What protects a name may have changed while it was chosen.
      if (message.type === 'set-crew-member-context' && !(await checker.check(from))) return
      acknowledge(from, message, answer ?? {})
      await touch(ctx, from.actor, liveOperations[message.type])
    } catch (error) {
      await logRefusal(ctx, from.actor, asked, error)
      from.answer({ type: 'error', ...refusalOf(error), ...(ref !== undefined && { ref }) })
    }
  }

  /** Who somebody is was settled at the upgrade: nobody can sign in on this channel, so a guest is just refused. */
  function refusalOf(error: unknown): ErrorBody {
    const { code, message } = explain(ctx.log, error)
    return { code: code === 'unauthenticated' ? 'forbidden' : code, message }
  }

  function acknowledge(from: Connection, message: ClientMessage, answer: Answer): void {
    const { ref, type } = message
    if (ref !== undefined) from.answer({ type: 'ack', ref, ...answer })
    else if (type === 'service-request') from.answer({ type: 'ack', ...answer })
  }

  // ---- heartbeat

  function tick(): void {
    const now = ctx.now()
    for (const connection of connections) {
      const every = connection.screen ? staffPingMs : guestPingMs
      if (now - connection.answeredAt > 2 * guestPingMs) connection.terminate()
      else if (now - connection.pingedAt >= every) connection.ping(now)
      if (connection.noticeSilence(now, silenceMs)) presence.screensChanged(connection.restaurantId ?? '')
    }
    presence.tick(now)
    checker.tick(now, tickMs)
  }

  const timers = [setInterval(tick, tickMs)]
  if (options.severalNodes) {
    timers.push(
      setInterval(() => presence.repeat(), compareMs),
      setInterval(() => void compareStreams(), compareMs),
    )
  }

  return {
    /** Resolves when it knows who is listening without a socket. */
    ready: () => presence.ready(),

    /** Asked before the upgrade: refuses whoever has too many sockets, or answers how to give the place back. */
    admit: (actor: Actor): (() => void) => (ctx.settings.guestLimits ? takePlace(actor) : () => {}),

    isDraining: () => draining,

    /** One socket's messages are handled one after another, so a context is set before it is used. */
    open(socket: Socket, actor: Actor): void {
      const connection = new Connection(socket, actor, ctx.now())
      connections.add(connection)
      checker.opened(connection)
      let last = Promise.resolve()
      socket.onMessage((text) => {
        last = last.then(() => receive(connection, text))
        handling.set(connection, last)
      })
      socket.onPong(() => {
        if (connection.noticeAnswer(ctx.now())) presence.screensChanged(connection.restaurantId ?? '')
      })
      socket.onClose(() => {
        connections.delete(connection)
        connection.terminate()
        rooms.remove(connection)
        void last.then(() => handling.delete(connection))
      })
    },

    connections: () => connections.size,

    /** Sends everybody away in slices, so that they do not all come back at once. */
    async drain(forMs: number): Promise<void> {
      draining = true
      const waiting = [...connections]
      const slice = Math.max(1, Math.ceil((waiting.length * 50) / Math.max(forMs, 50)))
      while (waiting.length > 0) {
        for (const connection of waiting.splice(0, slice))
          dismiss(connection, closeCodes.restart, 'Restarting')
        if (waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
      }
      // Who cannot be reached any more does not answer either.
      for (let waited = 0; waited < forMs && connections.size > 0; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50))
      for (const connection of connections) connection.terminate()
    },

    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      for (const connection of connections) connection.terminate()
      order.close()
      unsubscribe()
      stopGaps()
      await Promise.all(handling.values())
      await presence.stop()
    },
  }
}
