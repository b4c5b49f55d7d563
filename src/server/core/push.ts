import type { Delivery } from '../storage/push-deliveries.ts'
import type { Device } from '../storage/devices.ts'

export type PushMessage = {
  payload: string
  /** Of several that wait for one device at the push service, the last with the same topic is kept. */
  topic: string
  urgency: Delivery['urgency']
  /** How long the push service keeps it for a device that is not reached, in seconds. */
  ttl: number
}

/**
 * The browsers' push services. Never throws: `gone` when the address is of no use any more or never was, `failed`
 * when it may work another time.
 */
export type Push = {
  /** What browsers subscribe with. */
  publicKey: string
  send(to: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>, message: PushMessage): Promise<PushOutcome>
  /** What is under way fails. */
  close(): void
}

export type PushOutcome = 'sent' | 'gone' | 'failed'
