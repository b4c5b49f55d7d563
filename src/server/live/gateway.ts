import { setTimeout } from 'node:timers/promises'
import { minuteMs } from '#contract/durations.ts'
import { closeCodes } from '#contract/live.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Bus } from '../ports/bus.ts'
import { Connection, type Disconnect, type Socket } from './connection.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type ReserveSocket, socketQuotasOf } from './limits/socket-limits.ts'
import { MessageReceiver } from './message-receiver.ts'
import { createPresence, type PresenceService } from './presence/presence.ts'
import type { PresenceRegistry } from './presence/registry.ts'
import { Rooms } from './rooms.ts'
import { createSeenTime } from './seen-time.ts'
import { createSessionChecker, type SessionChecker } from './session-checker.ts'
import { StreamRecovery } from './streams/stream-recovery.ts'

/** How often nodes repeat their presence and compare their streams with the database, in milliseconds. */
const nodeSyncEveryMs = 5_000
const sessionTickMs = 1_000
/** How often streams are forgotten that nobody hears any more. */
const forgetEveryMs = 10 * minuteMs
const drainStepMs = 100
/** Another node takes over this many screens in one step while it serves its own, even if it has just started. */
const drainedPerStep = 25
/** Together shorter than the ten seconds after which many a supervisor kills a process. */
const maxDrainSteps = 80
/** How long clients have to answer the close, in milliseconds. */
const drainAnswerMs = 1_000

export type Gateway = ReturnType<typeof createGateway>

/** Connects sockets to operations and the bus. Contains no product rules. */
export function createGateway(
  ctx: Ctx,
  registry: PresenceRegistry,
  options: { node: string; severalNodes: boolean; reserveSocket: ReserveSocket },
) {
  const connections = new Set<Connection>()
  const rooms = new Rooms((restaurantId, newcomer) => presence.screensChanged(restaurantId, newcomer))
  const presence = createPresence(ctx, registry, rooms, options)
  const checker = createSessionChecker(ctx, connections, disconnect)
  const streams = new StreamRecovery(ctx, rooms, disconnect, (to, task) => receiver.enqueue(to, task))
  const receiver = new MessageReceiver(ctx, {
    rooms,
    checker,
    disconnect,
    snapshots: streams.snapshots,
  })
  let draining = false

  function disconnect(...[connection, code, reason]: Parameters<Disconnect>): void {
    connection.close(code, reason)
    rooms.remove(connection)
  }

  const unsubscribe = subscribeToBus(ctx.bus, presence, checker, streams, connections)
  const seenTime = createSeenTime(ctx.now)
  const stopHeartbeat = startHeartbeat(seenTime, connections, {
    onSilent: ({ restaurantId }) => presence.screensChanged(restaurantId ?? ''),
    onTick: () => presence.tick(),
  })
  const sessionTimer = setInterval(() => checker.tick(ctx.now(), sessionTickMs), sessionTickMs)
  const forgetTimer = setInterval(() => streams.forgetUnheard(), forgetEveryMs)
  const nodeSync = options.severalNodes
    ? setInterval(() => {
        presence.republish()
        void streams.checkForMissedEvents()
      }, nodeSyncEveryMs)
    : undefined

  return {
    /** Resolves when the devices that listen without a socket are loaded. */
    async ready(): Promise<void> {
      await presence.ready()
      if (options.severalNodes) ctx.bus.publish([{ kind: 'presence-wanted' }])
    },

    /** To be called before the upgrade. Refuses too many sockets; otherwise returns how to release the reservation. */
    async admit(actor: Actor): Promise<() => void> {
      return ctx.settings.guestLimits ? options.reserveSocket(socketQuotasOf(actor)) : () => {}
    },

    isDraining: () => draining,

    open(socket: Socket, actor: Actor): void {
      const connection = new Connection(socket, actor, ctx.now(), seenTime())
      connections.add(connection)
      const stopChecking = checker.opened(connection)
      socket.listen({
        onMessage: (text) => receiver.receive(connection, text),
        onHeard: () => {
          if (connection.markHeard(seenTime())) presence.screensChanged(connection.restaurantId ?? '')
        },
        onClose: () => {
          connections.delete(connection)
          stopChecking()
          connection.terminate()
          rooms.remove(connection)
        },
      })
    },

    connections: () => connections.size,

    /**
     * Refuses new sockets at once. After `noticeMs` it closes all others in batches, so that clients do not all
     * reconnect at once.
     */
    async drain(noticeMs: number): Promise<void> {
      draining = true
      await setTimeout(noticeMs)
      const remaining = [...connections]
      const sliceSize = Math.max(drainedPerStep, Math.ceil(remaining.length / maxDrainSteps))
      while (remaining.length > 0) {
        for (const connection of remaining.splice(0, sliceSize))
          disconnect(connection, closeCodes.restart, 'Restarting')
        if (remaining.length > 0) await setTimeout(drainStepMs)
      }
      for (let waitedMs = 0; waitedMs < drainAnswerMs && connections.size > 0; waitedMs += drainStepMs)
        await setTimeout(drainStepMs)
      // Unreachable clients never answer the close.
      for (const connection of connections) connection.terminate()
    },

    /** Messages that arrived before are finished first, so the database must still be open. */
    async close(): Promise<void> {
      stopHeartbeat()
      clearInterval(sessionTimer)
      clearInterval(nodeSync)
      clearInterval(forgetTimer)
      for (const connection of connections) connection.terminate()
      streams.close()
      unsubscribe()
      await receiver.whenIdle()
      await presence.stop()
    },
  }
}

function subscribeToBus(
  bus: Bus,
  presence: PresenceService,
  checker: SessionChecker,
  streams: StreamRecovery,
  connections: ReadonlySet<Connection>,
): () => void {
  const unsubscribe = bus.subscribe((signal) => {
    switch (signal.kind) {
      case 'event':
        if (signal.event.message.type === 'new-request') presence.guestAsked(signal.event.topic.restaurantId)
        return streams.deliver(signal.event)
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
      case 'presence-wanted':
        return presence.republish()
      case 'node-stops':
        return presence.nodeStops(signal.node)
      case 'devices-changed':
        return presence.devicesChanged(signal.restaurantId, { onPurpose: signal.onPurpose ?? false })
      case 'missed':
        return void streams.checkForMissedEvents()
      case 'limits':
        // Counted before it gets here: `adapters/limit-gossip.ts`.
        return undefined
    }
  })
  const unsubscribeFromGaps = bus.onGap(() => {
    void streams.checkForMissedEvents()
    streams.recallPages(connections)
    presence.catchUp()
    checker.recheckAll()
  })
  return () => {
    unsubscribe()
    unsubscribeFromGaps()
  }
}
