import type { PushAudience, PushPayload } from '#contract/push.ts'
import type { PushOutcome, PushSender } from '../src/server/ports/push.ts'
import type { VirtualTime } from './virtual-time.ts'

/** How long a slow push service takes to answer. */
const slowMs = 5_000

export type ReceivedPush = { at: number; sentAt: number; payload: PushPayload; wasEntitled: boolean }

/** A phone or tablet with alerts on, as its push service knows it. */
export class PushDevice {
  readonly endpoint: string
  readonly audience: PushAudience
  readonly crewMemberId: string | null
  readonly received: ReceivedPush[] = []
  /** What the push service does to the next push; then it delivers again. */
  next: PushOutcome | 'slow' = 'sent'
  /** Since when it is subscribed; null while it is not, as after its session was signed out. */
  subscribedAt: number | null = null
  /** Its push service has forgotten it. */
  isGone = false

  constructor(endpoint: string, audience: PushAudience, crewMemberId: string | null) {
    this.endpoint = endpoint
    this.audience = audience
    this.crewMemberId = crewMemberId
  }

  /** They only look like keys: nothing is encrypted here. */
  get keys(): { p256dh: string; auth: string } {
    return { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) }
  }

  /** The notifications that it shows, by tag. Those from before it was subscribed anew cannot be withdrawn. */
  get shown(): Map<string, ReceivedPush> {
    const shown = new Map<string, ReceivedPush>()
    for (const push of this.received.filter(({ at }) => at >= (this.subscribedAt ?? 0))) {
      const { notification, tableside } = push.payload
      if (tableside.withdraw && !this.#isOnTheWay(push)) shown.delete(notification.tag)
      else shown.set(notification.tag, push)
    }
    return shown
  }

  /** As its service worker does, "You’re on it" takes the place of what is withdrawn. */
  #isOnTheWay({ payload: { tableside } }: ReceivedPush): boolean {
    const { state, acceptedBy } = tableside.request ?? {}
    return state === 'accepted' && acceptedBy !== null && acceptedBy === this.crewMemberId
  }
}

/** Stands between the server and the devices, in the place of the browsers' push services. */
export class PushService {
  readonly devices: PushDevice[] = []
  /** It refuses everything. */
  isLost = false
  regainedAt = 0
  #time: VirtualTime

  constructor(time: VirtualTime) {
    this.#time = time
  }

  add(audience: PushAudience, crewMemberId: string | null): PushDevice {
    const endpoint = `https://push.example/${this.devices.length + 1}`
    const device = new PushDevice(endpoint, audience, crewMemberId)
    this.devices.push(device)
    return device
  }

  regain(): void {
    this.isLost = false
    this.regainedAt = this.#time.now()
  }

  /** For one start of the server: what the server sends after `abandon` reaches nobody. */
  open(): PushSender & { abandon(): void } {
    const failing = new Set<() => void>()
    let isAbandoned = false
    const abandon = () => {
      isAbandoned = true
      for (const fail of failing) fail()
    }
    return {
      publicKey: 'B'.repeat(87),
      abandon,
      close: abandon,
      send: async ({ endpoint }, { payload }) => {
        const device = this.devices.find((each) => each.endpoint === endpoint)
        if (!device) return 'gone'
        if (isAbandoned || this.isLost) return 'failed'
        const answer = device.isGone ? 'gone' : device.next
        device.next = 'sent'
        if (answer === 'gone') {
          Object.assign(device, { isGone: true, subscribedAt: null })
          return answer
        }
        if (answer === 'failed') return answer
        const push = {
          sentAt: this.#time.now(),
          payload: JSON.parse(payload),
          wasEntitled: device.subscribedAt !== null,
        }
        const deliver = () => device.received.push({ ...push, at: this.#time.now() })
        if (answer === 'sent') {
          deliver()
          return answer
        }
        return new Promise<PushOutcome>((resolve) => {
          const settle = (outcome: PushOutcome) => {
            failing.delete(fail)
            clearTimeout(timer)
            resolve(outcome)
          }
          const fail = () => settle('failed')
          const timer = setTimeout(() => {
            deliver()
            settle('sent')
          }, slowMs)
          failing.add(fail)
        })
      },
    }
  }
}
