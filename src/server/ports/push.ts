import type { Delivery } from '../storage/push/push-deliveries.ts'
import type { Device } from '../storage/push/push-subscriptions.ts'

export type PushMessage = {
  payload: string
  /** When several messages with the same topic wait for a device, the push service keeps the last. */
  topic: string
  urgency: Delivery['urgency']
  /** How long the push service keeps it for an unreachable device, in seconds. */
  ttl: number
}

/** The browsers' push services. Never throws: `gone` when the address is not valid, `failed` when a retry may work. */
export type PushSender = {
  /** Browsers need it to subscribe. */
  publicKey: string
  send(to: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>, message: PushMessage): Promise<PushOutcome>
  /** Messages being sent fail. */
  close(): void
}

export type PushOutcome = 'sent' | 'gone' | 'failed'
