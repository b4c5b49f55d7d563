import type { ErrorBody } from '#contract/errors.ts'
import { type ClientMessage, closeCodes, type ServerMessage } from '#contract/live.ts'
import { liveOperations } from '#contract/permissions.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx, Event } from '../core/ports.ts'
import { type Topic, topicName } from '../core/topics.ts'
import { toErrorBody } from '../core/errors.ts'
import { logRefusal } from '../core/audit/security-log.ts'
import { extendIdleTime } from '../core/accounts/sessions.ts'
import * as streams from '../core/streams.ts'
import { createSocketLimiter } from './socket-limits.ts'
import { Connection, type Socket } from './connection.ts'
import { type AckFields, dispatch, resendSnapshots } from './handlers.ts'
import { parseClientMessage, parseJson, readRef } from './client-message.ts'
import { createMessageLimiter } from './message-rate-limits.ts'
import type { PresenceRegistry } from './presence/registry.ts'
import { createPresenceBroadcaster } from './presence/broadcaster.ts'
import { Rooms } from './rooms.ts'
import { createSessionChecker } from './session-checker.ts'
import { StreamSequencer } from './stream-sequencer.ts'

/** All in milliseconds. */
const staffPingMs = 2_500
const guestPingMs = 30_000
/** A staff screen that did not answer for so long does not count as listening: with the tick in 7 seconds. */
const silentAfterMs = 6_500
const tickMs = 500
const compareEveryMs = 5_000
const catchUpGraceMs = 500

export type Gateway = ReturnType<typeof createGateway>

/** Sockets on one side, operations and the bus on the other. Knows no product rule. */
export function createGateway(
  ctx: Ctx,
  board: PresenceRegistry,
  options: { node: string; severalNodes: boolean },
) {
  const connections = new Set<Connection>()
  const rooms = new Rooms((...change) => presence.screensChanged(...change))
  const sequencer = new StreamSequencer((stream) => void recoverStream(stream))
  const presence = createPresenceBroadcaster(ctx, board, rooms, { ...options, broadcast })
  /** What each connection said last, until it was handled: before the database closes. */
  const inFlight = new Map<Connection, Promise<void>>()
  const takeSocketPlace = createSocketLimiter()
  const chargeMessage = createMessageLimiter()
  const checker = createSessionChecker(ctx, connections, disconnect)
  let draining = false

  /** Sends it away: it leaves all rooms at once, whenever its other side lets go. */
  function disconnect(connection: Connection, ...why: Parameters<Connection['close']>): void {
    connection.close(...why)
    rooms.remove(connection)
  }

  // ---- events from the bus

  const unsubscribe = ctx.bus.subscribe((signal) => {
    switch (signal.kind) {
      case 'event':
        if (signal.event.message.type === 'new-request') presence.guestAsked(signal.event.topic.restaurantId)
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
        return presence.receiveSignal(signal)
      case 'devices-changed':
        return presence.devicesChanged(signal.restaurantId, { onPurpose: signal.onPurpose ?? false })
      case 'missed':
        return void compareStreams()
    }
  })
  const unsubscribeFromGaps = ctx.bus.onGap(() => {
    void compareStreams()
    presence.republish()
    checker.recheckAll()
  })

  function deliver({ topic, message }: Event): void {
    const stream = streamKey(topic)
    if (rooms.inRestaurant(topic.restaurantId).size === 0) return sequencer.forget(stream)
    const send = () => broadcast(rooms.inTopic(topicName(topic)), message)
    if (message.seq === undefined) send()
    else sequencer.receive(stream, message.seq, topic.kind !== 'table', send)
  }

  const streamKey = (topic: Topic) => `${topic.restaurantId} ${streams.streamName(topic)}`

  async function trackStream(topic: Topic): Promise<void> {
    const stream = streamKey(topic)
    if (sequencer.position(stream) !== undefined) return
    sequencer.startAt(stream, await streams.getPosition(ctx, topic.restaurantId, streams.streamName(topic)))
  }

  function broadcast(to: Iterable<Connection>, message: ServerMessage): void {
    let text: string | null = null
    for (const connection of to) connection.send((text ??= JSON.stringify(message)))
  }

  /** A number stayed missing: everybody of that restaurant is made whole from the rows. */
  async function recoverStream(stream: string): Promise<void> {
    const [restaurantId = '', name = ''] = stream.split(' ')
    try {
      const seq = await streams.getPosition(ctx, restaurantId, name)
      sequencer.skipTo(stream, seq)
      const everybody = [...rooms.inRestaurant(restaurantId)]
      const staff = everybody.filter(
        (connection) => connection.screen !== null || connection.actor.crewMember,
      )
      for (const guest of everybody)
        if (!staff.includes(guest)) disconnect(guest, closeCodes.restart, 'Please come back')
      await Promise.all(staff.map((connection) => resendSnapshots(ctx, connection)))
    } catch (error) {
      ctx.log.error({ error, restaurantId }, 'live stream not recovered')
    }
  }

  /** Delivery is at most once: whoever is behind the rows, and stays behind, gets a snapshot. */
  async function compareStreams(): Promise<void> {
    try {
      const behind = await findStreamsBehind()
      if (behind.length === 0) return
      setTimeout(() => {
        for (const { stream, lastSeq } of behind) {
          if ((sequencer.position(stream) ?? lastSeq) < lastSeq) void recoverStream(stream)
        }
      }, catchUpGraceMs)
    } catch (error) {
      ctx.log.error({ error }, 'live streams not compared')
    }
  }

  async function findStreamsBehind(): Promise<{ stream: string; lastSeq: number }[]> {
    const positions = await streams.listPositions(ctx, rooms.restaurants())
    return positions.flatMap(({ restaurantId, name, lastSeq }) => {
      const stream = `${restaurantId} ${name}`
      const at = sequencer.position(stream)
      return at !== undefined && at < lastSeq ? [{ stream, lastSeq }] : []
    })
  }

  // ---- messages from clients

  async function handleMessage(from: Connection, text: string): Promise<void> {
    if (from.isClosing) return
    let ref: string | undefined
    let asked = 'message'
    try {
      if (!from.takeRateToken(ctx.now())) {
        from.sendDirectly({
          type: 'error',
          code: 'rate_limited',
          message: 'Too many messages. Please wait a moment.',
        })
        return disconnect(from, closeCodes.flooding, 'Too many messages')
      }
      const given = parseJson(text)
      ref = readRef(given)
      const message = parseClientMessage(given)
      asked = message.type
      if (!(await checker.canHandle(from, message.type))) return
      if (ctx.settings.guestLimits) chargeMessage(from, message, ctx.now())
      const answer = await dispatch({ ctx, from, rooms, follow: trackStream }, message)
      // What protects a name may have changed while it was chosen.
      if (message.type === 'set-crew-member-context' && !(await checker.check(from))) return
      acknowledge(from, message, answer ?? {})
      await extendIdleTime(ctx, from.actor, liveOperations[message.type])
    } catch (error) {
      await logRefusal(ctx, from.actor, asked, error)
      from.sendDirectly({ type: 'error', ...toClientError(error), ...(ref !== undefined && { ref }) })
    }
  }

  /** Who somebody is was settled at the upgrade: nobody can sign in on this channel, so a guest is just refused. */
  function toClientError(error: unknown): ErrorBody {
    const { code, message } = toErrorBody(ctx.log, error)
    return { code: code === 'unauthenticated' ? 'forbidden' : code, message }
  }

  function acknowledge(from: Connection, message: ClientMessage, answer: AckFields): void {
    const { ref, type } = message
    if (ref !== undefined) from.sendDirectly({ type: 'ack', ref, ...answer })
    else if (type === 'service-request') from.sendDirectly({ type: 'ack', ...answer })
  }

  // ---- heartbeat

  function tick(): void {
    const now = ctx.now()
    for (const connection of connections) {
      const every = connection.screen ? staffPingMs : guestPingMs
      if (now - connection.lastPongAt > 2 * guestPingMs) connection.terminate()
      else if (now - connection.lastPingAt >= every) connection.ping(now)
      if (connection.markSilent(now, silentAfterMs)) presence.screensChanged(connection.restaurantId ?? '')
    }
    presence.tick(now)
    checker.tick(now, tickMs)
  }

  const timers = [setInterval(tick, tickMs)]
  if (options.severalNodes) {
    timers.push(
      setInterval(() => presence.republish(), compareEveryMs),
      setInterval(() => void compareStreams(), compareEveryMs),
    )
  }

  return {
    /** Resolves when it knows who is listening without a socket. */
    ready: () => presence.ready(),

    /** Asked before the upgrade: refuses whoever has too many sockets, or answers how to give the place back. */
    admit: (actor: Actor): (() => void) => (ctx.settings.guestLimits ? takeSocketPlace(actor) : () => {}),

    isDraining: () => draining,

    /** One socket's messages are handled one after another, so a context is set before it is used. */
    open(socket: Socket, actor: Actor): void {
      const connection = new Connection(socket, actor, ctx.now())
      connections.add(connection)
      checker.opened(connection)
      let last = Promise.resolve()
      socket.onMessage((text) => {
        last = last.then(() => handleMessage(connection, text))
        inFlight.set(connection, last)
      })
      socket.onPong(() => {
        if (connection.markAnswered(ctx.now())) presence.screensChanged(connection.restaurantId ?? '')
      })
      socket.onClose(() => {
        connections.delete(connection)
        connection.terminate()
        rooms.remove(connection)
        void last.then(() => inFlight.delete(connection))
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
          disconnect(connection, closeCodes.restart, 'Restarting')
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
      sequencer.close()
      unsubscribe()
      unsubscribeFromGaps()
      await Promise.all(inFlight.values())
      await presence.stop()
    },
  }
}
