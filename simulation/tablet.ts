import type { ServerMessage } from '#contract/live.ts'
import {
  initialRequestsState,
  requestsReducer,
} from '../src/client/features/crew/requests/requests-reducer.ts'
import type { CrewAct } from './steps.ts'
import type { Browser, Channel } from './wire.ts'

/** A crew member's screen with the dashboard's own reducer. It is whole once its list has come. */
export class Tablet {
  readonly kind = 'tablet'
  readonly crewMemberId: string
  readonly browser: Browser
  /** Null while nobody is signed in there. */
  deviceId: string | null = null
  list = initialRequestsState
  /** The numbers of its stream on this connection, beginning with its list's. */
  numbers: number[] = []
  readonly acknowledged: { act: CrewAct; id: string }[] = []
  isFrozen = false
  isWhole = false
  /** When it last came or went. */
  changedAt = 0
  #now: () => number
  #channel: Channel | null = null

  constructor(browser: Browser, crewMemberId: string, now: () => number) {
    this.browser = browser
    this.crewMemberId = crewMemberId
    this.#now = now
  }

  get isConnected(): boolean {
    return this.#channel !== null
  }

  async connect(): Promise<void> {
    if (this.#channel) return
    this.numbers = []
    this.list = initialRequestsState
    const channel = await this.browser.connect(
      (message) => this.#receive(message),
      () => this.#left(channel),
    )
    this.#channel = channel
    this.changedAt = this.#now()
    const { crewMemberId } = this
    await channel.request({ type: 'set-crew-member-context', crewMemberId })
    await channel.request({ type: 'listening', sound: true, push: false })
    await channel.request({ type: 'get-pending-requests' })
  }

  #receive(message: ServerMessage): void {
    this.list = requestsReducer(this.list, message, this.#now())
    if (message.type === 'pending-requests') {
      this.isWhole = true
      this.numbers = [message.seq ?? Number.NaN]
    } else if ('seq' in message && message.seq !== undefined && this.isWhole) this.numbers.push(message.seq)
  }

  #left(channel: Channel): void {
    if (this.#channel !== channel) return
    this.#channel = null
    this.isWhole = false
    this.isFrozen = false
    this.changedAt = this.#now()
  }

  cut(): void {
    const channel = this.#channel
    if (!channel) return
    this.#left(channel)
    channel.cut()
  }

  freeze(): void {
    if (!this.#channel) return
    this.isFrozen = true
    this.changedAt = this.#now()
    this.#channel.freeze()
  }

  thaw(): void {
    this.isFrozen = false
    this.changedAt = this.#now()
    this.#channel?.thaw()
  }

  /** The answer may need time to pass, so nobody waits for it. */
  act(act: CrewAct, which: number): void {
    const closed = this.list.recent.map(({ request }) => request)
    // A slow finger also hits what is gone by then.
    const candidates = act === 'reopen-request' || which % 6 === 0 ? closed : this.list.open
    const { id } = candidates[which % Math.max(1, candidates.length)] ?? {}
    if (id === undefined || this.isFrozen) return
    void this.#channel
      ?.request(act === 'requests-seen' ? { type: act, ids: [id] } : { type: act, id })
      .then((answer) => answer?.type === 'ack' && this.acknowledged.push({ act, id }))
  }
}
