import type { Ctx } from '../../core/ctx.ts'
import type { Connection } from '../connection.ts'
import type { Rooms } from '../rooms.ts'
import { PresenceBroadcaster } from './broadcaster.ts'
import { DeviceLoader } from './device-loader.ts'
import { createListeningAlarm } from './listening-alarm.ts'
import { createListeningLog } from './listening-log.ts'
import type { PresenceRegistry } from './registry.ts'
import { type PresenceSignal, ScreenPublisher } from './screen-publisher.ts'
import { UnattendedRequests } from './unattended-requests.ts'

export type PresenceService = ReturnType<typeof createPresence>

/** Tracks who listens, and tells other nodes, screens, guests, the listening history and the managers. */
export function createPresence(
  ctx: Ctx,
  registry: PresenceRegistry,
  rooms: Rooms,
  { node, severalNodes }: { node: string; severalNodes: boolean },
) {
  const broadcaster = new PresenceBroadcaster(ctx, rooms)
  const unattendedRequests = new UnattendedRequests(ctx)
  const alarm = createListeningAlarm(ctx, tellAndEscalate)
  const listeningLog = createListeningLog(ctx, { severalNodes }, (restaurantId, since) =>
    alarm.interrupted(restaurantId, since),
  )
  const publisher = new ScreenPublisher(ctx, registry, rooms, { node, severalNodes, onPresenceChanged })
  const devices = new DeviceLoader(ctx, registry, onPresenceChanged)
  let stopped = false

  function onPresenceChanged(restaurantId: string, onPurpose: boolean): void {
    if (stopped) return
    listeningLog.presenceChanged(restaurantId)
    alarm.presenceChanged(restaurantId, onPurpose)
    tellAndEscalate(restaurantId)
  }

  function tellAndEscalate(restaurantId: string): void {
    unattendedRequests.presenceChanged(restaurantId)
    broadcaster.presenceChanged(restaurantId)
  }

  return {
    screensChanged(restaurantId: string, newcomer?: Connection): void {
      publisher.screensChanged(restaurantId)
      if (newcomer) broadcaster.greet(newcomer)
    },

    devicesChanged(restaurantId: string, options: { onPurpose: boolean }): void {
      devices.devicesChanged(restaurantId, options)
    },

    guestAsked: (restaurantId: string) => alarm.guestAsked(restaurantId),

    /** From another node, about its screens. */
    receiveSignal: (signal: PresenceSignal) => publisher.receive(signal),

    nodeStops: (stopped: string) => registry.nodeStops(stopped),

    sessionsChanged(sessionIds: ReadonlySet<string>, options: { onPurpose: boolean }): void {
      publisher.endSessions(sessionIds, options.onPurpose)
      for (const restaurantId of registry.restaurantsOfSessions(sessionIds))
        devices.devicesChanged(restaurantId, options)
    },

    tick(): void {
      publisher.tick()
      alarm.tick()
    },

    republish: () => publisher.republish(),

    /** Signals may have been lost, of this node's screens and of devices that others added or removed. */
    catchUp(): void {
      publisher.republish()
      devices.reload()
    },

    ready: () => devices.whenLoaded(),

    async stop(): Promise<void> {
      stopped = true
      broadcaster.stop()
      unattendedRequests.stop()
      alarm.stop()
      await devices.stop()
      for (const restaurantId of registry.removeNode(node)) listeningLog.presenceChanged(restaurantId)
      await listeningLog.stop()
      if (severalNodes) publisher.stop()
    },
  }
}
