import { api } from '#contract/api.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import {
  requestStatus,
  type TableEvent,
  type TableRequests,
  tableRequestsReducer,
} from '../src/client/features/guest/requests/table-requests.ts'
import { Device } from './device.ts'
import type { CrewAct, Loss, NewTap } from './steps.ts'
import type { Browser } from './wire.ts'

/** `isCorrection`: the guest was at the wrong table before. */
export type Visit = { tableNumber: string; startedAt: number; isCorrection?: boolean }
export type Tap = { id: string; tableNumber: string; serviceType: ServiceType }
/** What the guest has read, about which request, and where the page said that they sit. */
export type Told = { text: string; request: ServiceRequest; seat: string }

/** Why guests cannot ask right now, each with an explanation that the page shows. */
const reasons = ['closed', 'need_paused', 'table_muted'] as const
type Reason = (typeof reasons)[number]
/** Of a tap, which the page then does not send again, or of a correction, which names no service. */
export type Refusal = Pick<Tap, 'id' | 'tableNumber'> & {
  serviceType: ServiceType | null
  code: Reason
  sentAt: number
  answeredAt: number
}

const reasonOf = (refusal: object): Reason | undefined =>
  reasons.find((reason) => 'code' in refusal && refusal.code === reason)

type Network = { loss: Loss; lateMs: number }
const good: Network = { loss: 'none', lateMs: 0 }

const nothing: TableRequests = { open: [], done: [], listening: false, barrier: null }

/** A guest's phone: what it has tapped, and what its page, with the page's own reducer, has shown. */
export class Phone extends Device {
  readonly kind = 'phone'
  /** The one that its page names. */
  tableNumber: string
  /** Where parties move: each visit that it has begun, latest last. */
  readonly visits: Visit[] = []
  /** The tables whose code it has scanned. */
  readonly scanned = new Set<string>()
  /** Everything that it may have sent. */
  readonly tapped: Tap[] = []
  /** Not answered yet: sent again until they are. */
  waiting: Tap[] = []
  /** For which it showed "Request Sent!". */
  readonly acknowledged: string[] = []
  told: Told[] = []
  /** Checked once. */
  readonly refused: Refusal[] = []
  /** What only the crew may do, and was acknowledged to it. */
  readonly intrusions: CrewAct[] = []
  /** Of calls that nobody awaited. */
  readonly failures: unknown[] = []
  shown = nothing
  reachableSince = 0
  /** When the page was last told everything that it shows. */
  heardAt = 0
  #restaurant: string
  #now: () => number

  constructor(browser: Browser, restaurant: string, tableNumber: string, now: () => number) {
    super(browser)
    this.#now = now
    this.#restaurant = restaurant
    this.tableNumber = tableNumber
  }

  /** The table where its page says that the guest sits. */
  get seat(): string {
    return this.shown.movedTo ?? this.tableNumber
  }

  get #place() {
    return { restaurantId: this.#restaurant, tableNumber: this.tableNumber }
  }

  async tap({ id, serviceType }: Omit<NewTap, 'phone'>, network = good): Promise<void> {
    const tap = { id, serviceType, tableNumber: this.tableNumber }
    this.tapped.push(tap)
    this.waiting.push(tap)
    await this.#over(network, (loss) => this.#send(tap, loss))
  }

  async retry(): Promise<void> {
    for (const tap of this.waiting) await this.#send(tap, 'none')
  }

  /** A late call arrives after its own repeats, and after what the guest does next. */
  async #over({ loss, lateMs }: Network, call: (loss: Loss) => Promise<void>): Promise<void> {
    if (loss === 'call') return
    if (loss === 'late')
      setTimeout(() => void call('none').catch((error: unknown) => this.failures.push(error)), lateMs)
    else await call(loss)
  }

  async #send({ id, serviceType, tableNumber }: Tap, loss: Loss): Promise<void> {
    const body = { id, serviceType, restaurantId: this.#restaurant, tableNumber }
    const sentAt = this.#now()
    const answer = await this.browser.call(api.requests.send, { body }).catch(() => null)
    if (loss === 'answer' || answer === null || answer.status >= 500) return
    this.waiting = this.waiting.filter((tap) => tap.id !== id)
    if (answer.status >= 400) {
      const code = reasonOf(answer.body)
      if (!code) throw new Error(`A tap was refused: ${JSON.stringify(answer.body)}`)
      this.refused.push({ id, serviceType, tableNumber, code, sentAt, answeredAt: this.#now() })
      return
    }
    if (!this.acknowledged.includes(id)) this.acknowledged.push(id)
    const { request } = answer.body
    this.told.push({ text: 'Request Sent!', request, seat: this.#seatFor(request) })
  }

  /** Where parties move, an answer may be ahead of the page, and what is done stays where it was. */
  #seatFor({ tableNumber }: ServiceRequest): string {
    return this.visits.length > 0 ? tableNumber : this.tableNumber
  }

  #pick(which: number): ServiceRequest | undefined {
    return this.shown.open[which % Math.max(1, this.shown.open.length)]
  }

  async cancel(which: number, network = good): Promise<void> {
    const params = { id: this.#pick(which)?.id ?? '' }
    if (params.id === '') return
    await this.#over(network, async (loss) => {
      const answer = await this.browser.call(api.requests.cancel, { params }).catch(() => null)
      if (loss === 'none' && answer?.status === 200 && !answer.body.request)
        this.#show({ type: 'cancelled-here', id: params.id })
    })
  }

  async stillWaiting(which: number, network = good): Promise<void> {
    const params = { id: this.#pick(which)?.id ?? '' }
    if (params.id === '') return
    await this.#over(network, async () => {
      await this.browser.call(api.requests.stillWaiting, { params }).catch(() => null)
    })
  }

  /** Tries what only the crew may do. */
  async intrude(act: CrewAct, which: number): Promise<void> {
    const id = this.#pick(which)?.id
    if (id === undefined || this.isFrozen) return
    const message = act === 'requests-seen' ? { type: act, ids: [id] } : { type: act, id }
    const answer = await this.channel?.request(message)
    if (answer?.type === 'ack') this.intrusions.push(act)
  }

  async reload({ loss } = good): Promise<void> {
    if (loss === 'call') return
    const answer = await this.browser.call(api.requests.mine, { query: this.#place }).catch(() => null)
    if (loss === 'none' && answer?.status === 200) this.#show({ type: 'snapshot', ...answer.body })
  }

  /** Opens the page of its table, as a guest who scans its code does, or follows a link without one. */
  async openPage(k: string | null): Promise<void> {
    const { restaurantId: r, tableNumber: t } = this.#place
    const query = new URLSearchParams({ r, t, ...(k !== null && { k }) })
    const { status } = await this.browser.send({ method: 'GET', path: `/customer?${query}` })
    if (status !== 200) throw new Error(`The guest page answers ${status}`)
    if (k !== null) this.scanned.add(t)
    this.visits.push({ tableNumber: t, startedAt: this.#now() })
  }

  /** "Start New Session". */
  async startAnew(): Promise<void> {
    const { restaurantId: r, tableNumber: t } = this.#place
    const { status } = await this.browser.send({
      method: 'POST',
      path: '/customer',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ action: 'reset', r, t }).toString(),
    })
    if (status !== 303) throw new Error(`A new session is answered ${status}`)
    this.visits.push({ tableNumber: t, startedAt: this.#now() })
    await this.#loadAnew()
  }

  /** "Not your table?" `hasLeft`: whether the party of its visit at the right table has moved away from there. */
  async correctTable(
    tableNumber: string,
    k: string | null,
    hasLeft: (visit: Visit) => boolean,
  ): Promise<void> {
    const body = { ...this.#place, tableNumber, from: this.tableNumber, ...(k !== null && { k }) }
    const sentAt = this.#now()
    const answer = await this.browser.call(api.requests.correctTable, { body })
    if (k !== null) this.scanned.add(tableNumber)
    if (answer.status !== 200) {
      const code = reasonOf(answer.body)
      if (!code) throw new Error(`A correction was refused: ${JSON.stringify(answer.body)}`)
      const id = `correction to ${tableNumber}`
      this.refused.push({ id, tableNumber, serviceType: null, code, sentAt, answeredAt: this.#now() })
      return
    }
    this.tableNumber = tableNumber
    const before = this.visits.findLast((visit) => visit.tableNumber === tableNumber)
    const startedAt = before && !hasLeft(before) ? before.startedAt : this.#now()
    this.visits.push({ tableNumber, startedAt, isCorrection: true })
    await this.#loadAnew()
  }

  async #loadAnew(): Promise<void> {
    this.shown = { ...nothing, listening: this.shown.listening }
    if (!this.isConnected) return
    this.cut()
    await this.connect()
  }

  async connect(): Promise<void> {
    if (this.isConnected) return
    const channel = await this.open((message) => {
      this.#show(message)
      // It asks again where it is.
      if (message.type === 'table-changed')
        void channel.request({ type: 'set-restaurant-context', ...this.#place })
    })
    this.reachableSince = this.#now()
    const answer = await channel.request({ type: 'set-restaurant-context', ...this.#place })
    this.isWhole = answer?.type === 'ack'
  }

  override thaw(): void {
    this.reachableSince = this.#now()
    super.thaw()
  }

  /** Shows the guest something that no server has sent. */
  deceive(message: ServerMessage): void {
    this.#show(message)
  }

  #show(event: TableEvent | ServerMessage): void {
    this.shown = tableRequestsReducer(this.shown, event)
    if (event.type === 'snapshot' || (event.type === 'ack' && event.requests)) this.heardAt = this.#now()
    const { seat } = this
    for (const request of this.shown.open) this.told.push({ text: requestStatus(request), request, seat })
    for (const request of this.shown.done)
      this.told.push({ text: 'Done', request, seat: this.#seatFor(request) })
  }
}
