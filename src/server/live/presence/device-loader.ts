import type { Ctx } from '../../core/ctx.ts'
import { type KnownDevice, listAllKnown, listKnown } from '../../core/push/subscriptions.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { PresenceRegistry } from './registry.ts'

/** Both in milliseconds. */
const reloadEveryMs = 60_000
const expireEveryMs = 1_000

type OnPresenceChanged = (restaurantId: string, onPurpose: boolean) => void

/** Keeps the registry's devices, which count as listening without a socket, in line with the database. */
export class DeviceLoader {
  #ctx: Ctx
  #registry: PresenceRegistry
  #onPresenceChanged: OnPresenceChanged
  /** One load after another, so that the last one loaded is the newest. */
  #loads: SerialQueue
  #timers: NodeJS.Timeout[]
  #stopped = false

  constructor(ctx: Ctx, registry: PresenceRegistry, onPresenceChanged: OnPresenceChanged) {
    this.#ctx = ctx
    this.#registry = registry
    this.#onPresenceChanged = onPresenceChanged
    this.#loads = new SerialQueue((error) => {
      if (!this.#stopped) ctx.log.error({ error }, 'could not load devices')
    })
    this.#timers = [
      setInterval(() => this.reload(), reloadEveryMs),
      setInterval(() => {
        for (const restaurantId of registry.expireDevices()) onPresenceChanged(restaurantId, false)
      }, expireEveryMs),
    ]
    this.reload()
  }

  devicesChanged(restaurantId: string, { onPurpose }: { onPurpose: boolean }): void {
    this.#loads.add(async () => {
      if (this.#registry.setDevices(restaurantId, await listKnown(this.#ctx, restaurantId)))
        this.#onPresenceChanged(restaurantId, onPurpose)
    })
  }

  /** Notices what no signal has announced, such as a login that expired. */
  reload(): void {
    this.#loads.add(async () => {
      const known = new Set<string>()
      for await (const devices of listAllKnown(this.#ctx))
        for (const [restaurantId, own] of Map.groupBy(devices, (device) => device.restaurantId)) {
          known.add(restaurantId)
          this.#set(restaurantId, own)
        }
      for (const restaurantId of this.#registry.restaurantsWithDevices())
        if (!known.has(restaurantId)) this.#set(restaurantId, [])
    })
  }

  #set(restaurantId: string, devices: KnownDevice[]): void {
    if (this.#registry.setDevices(restaurantId, devices)) this.#onPresenceChanged(restaurantId, false)
  }

  /** Resolves when all devices known so far are loaded. */
  whenLoaded(): Promise<void> {
    return this.#loads.whenDone()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.whenLoaded()
  }
}
