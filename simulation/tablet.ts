import type { ServerMessage } from '#contract/live.ts'
import type { MutedTable } from '#contract/requests/muted-tables.ts'
import { streamNameOf } from '../src/client/api/live/stream.ts'
import {
  initialRequestsState,
  requestsReducer,
} from '../src/client/features/crew/requests/requests-reducer.ts'
import type { Setting } from './availability.ts'
import { Device } from './device.ts'
import type { PushDevice } from './push-service.ts'
import type { CrewAct } from './steps.ts'
import type { Browser } from './wire.ts'

/** A crew member's screen with the dashboard's own reducer. It is whole once its list has come. */
export class Tablet extends Device {
  readonly kind = 'tablet'
  readonly crewMemberId: string
  /** Null while nobody is signed in there. */
  deviceId: string | null = null
  list = initialRequestsState
  muted: readonly MutedTable[] = []
  /** The numbers of its stream on this connection, beginning with its list's. */
  numbers: number[] = []
  readonly acknowledged: { act: CrewAct; id: string }[] = []
  /** Every request that it has seen closed, latest first: a paper note that nobody throws away. */
  #closed: string[] = []
  /** Until then whoever has it in hand stays away. */
  awayUntil = 0
  /** Of its crew member; null without one. */
  pin: string | null = null
  /** What was entered on this connection. */
  enteredPin: string | null = null
  /** Where it has alerts on. */
  alerts: PushDevice | null = null
  /** Since when it is heard, or not. */
  heard = { isHeard: false, since: 0 }
  #now: () => number

  constructor(browser: Browser, crewMemberId: string, now: () => number) {
    super(browser)
    this.crewMemberId = crewMemberId
    this.#now = now
  }

  /** Whether its crew member hears a new request there. */
  get isHeard(): boolean {
    return (this.isConnected && !this.isFrozen) || (this.alerts?.subscribedAt ?? null) !== null
  }

  /** To be called whenever it may have come or gone. */
  noteHeard(): void {
    const { isHeard } = this
    if (isHeard !== this.heard.isHeard) this.heard = { isHeard, since: this.#now() }
  }

  get isAway(): boolean {
    return this.#now() < this.awayUntil
  }

  async connect(): Promise<void> {
    if (this.isConnected || this.isAway) return
    this.numbers = []
    this.list = initialRequestsState
    const channel = await this.open((message) => this.#receive(message))
    const { crewMemberId, pin } = this
    this.enteredPin = pin
    await channel.request({ type: 'set-crew-member-context', crewMemberId, ...(pin !== null && { pin }) })
    await channel.request({ type: 'listening', sound: true, push: false })
    await channel.request({ type: 'get-pending-requests' })
  }

  #receive(message: ServerMessage): void {
    this.list = requestsReducer(this.list, message, this.#now())
    const closed = this.list.recent.map(({ request }) => request.id)
    this.#closed = [...new Set([...closed, ...this.#closed])]
    if (message.type === 'muted-tables') this.muted = message.tables
    if (message.type === 'pending-requests') {
      this.isWhole = true
      this.muted = message.muted ?? []
      this.numbers = [message.seq ?? Number.NaN]
    } else if (
      'seq' in message &&
      message.seq !== undefined &&
      streamNameOf(message) === 'requests' &&
      this.isWhole
    )
      this.numbers.push(message.seq)
  }

  leave(forMs: number): void {
    this.awayUntil = this.#now() + forMs
    this.cut()
  }

  act(act: CrewAct, which: number): void {
    const id = this.#choose(act, which)
    if (id !== undefined) this.do(act, id)
  }

  /** The answer may need time to pass, so nobody waits for it. */
  do(act: CrewAct, ...ids: [string, ...string[]]): void {
    if (this.isFrozen) return
    void this.channel
      ?.request(act === 'requests-seen' ? { type: act, ids } : { type: act, id: ids[0] })
      .then((answer) => {
        if (answer?.type === 'ack') for (const id of ids) this.acknowledged.push({ act, id })
      })
  }

  moveParty(id: string, from: string, to: string, acknowledged: string[] | null): void {
    if (this.isFrozen) return
    void this.channel?.request({ type: 'move-party', id, from, to }).then((answer) => {
      if (answer?.type === 'ack') acknowledged?.push(id)
    })
  }

  undoMove(id: string): void {
    if (!this.isFrozen) void this.channel?.request({ type: 'undo-party-move', id })
  }

  handOver(toId: string | null, acknowledged: { from: string; at: number }[]): void {
    if (this.isFrozen) return
    const at = this.#now()
    void this.channel?.request({ type: 'hand-over-requests', toId }).then((answer) => {
      if (answer?.type === 'ack') acknowledged.push({ from: this.crewMemberId, at })
    })
  }

  /** Whether its screen may act as that crew member. */
  async tryPin(crewMemberId: string, pin: string): Promise<boolean> {
    if (this.isFrozen) return false
    const answer = await this.channel?.request({ type: 'set-crew-member-context', crewMemberId, pin })
    return answer?.type === 'ack'
  }

  /** Until then its guests cannot ask: until somebody unmutes it for `Infinity`, no longer for 0. */
  mute(tableNumber: string, until: number, setting: Setting<number>): void {
    const { channel } = this
    if (this.isFrozen || !channel) return
    const change = setting.begin(until, this.#now())
    const ends = until === Number.POSITIVE_INFINITY ? {} : { until }
    void channel
      .request(
        until === 0 ? { type: 'unmute-table', tableNumber } : { type: 'mute-table', tableNumber, ...ends },
      )
      .then((answer) => {
        if (answer?.type === 'ack') change.knownAt = this.#now()
      })
  }

  /** What was closed last is undone soon, or much later; and a slow finger also hits what is gone by then. */
  #choose(act: CrewAct, which: number): string | undefined {
    const candidates =
      act === 'reopen-request'
        ? this.#closed.slice(0, which % 2 === 0 ? 1 : Number.POSITIVE_INFINITY)
        : which % 6 === 0
          ? this.#closed
          : this.list.open.map(({ id }) => id)
    return candidates[which % Math.max(1, candidates.length)]
  }
}
