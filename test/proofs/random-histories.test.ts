import fc from 'fast-check'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import { firstName } from '#contract/names.ts'
import { type ServiceRequest, type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import {
  requestsReducer,
  initialRequestsState,
} from '../../src/client/features/crew/requests/requests-reducer.ts'
import {
  requestStatus,
  tableRequestsReducer,
  type TableRequests,
} from '../../src/client/features/guest/requests/table-requests.ts'
import { type Answer, type Tap, Outbox } from '../../src/client/features/guest/taps/outbox.ts'
import { createUuidV7Generator } from '../../src/server/adapters/uuid-v7.ts'
import { escalateDueRequests } from '../../src/server/core/requests/escalation/escalation.ts'
import { setUpApp, type TestBrowser, type TestSocket } from '../support/app.ts'

/** What a bad network does to one POST: lets it through, loses it, or loses the answer. */
type Network = 'good' | 'lost' | 'answer-lost'
type CrewAct = 'accept-request' | 'release-request' | 'complete-request' | 'reopen-request' | 'requests-seen'

type Op =
  | { op: 'tap'; phone: number; serviceType: ServiceType; network: Network }
  | { op: 'retry'; phone: number; network: Network }
  | { op: 'cancel' | 'still-waiting'; phone: number; which: number }
  | { op: 'drop' | 'return'; screen: number }
  | { op: 'act'; crew: number; act: CrewAct; which: number }
  | { op: 'wait'; ms: number }
  | { op: 'restart' }

const app = setUpApp({ guestLimits: false, scheduler: 'manual', clock: 'running' })
let restarting: Promise<void> | undefined

/** A client whose live channel disconnects and reconnects. */
abstract class Screen {
  protected socket: TestSocket | null = null
  protected browser: TestBrowser
  #read = 0

  constructor(browser: TestBrowser) {
    this.browser = browser
  }

  abstract subscribe(socket: TestSocket): Promise<void>
  protected abstract receive(message: TestSocket['received'][number]): void

  /** If the server is restarting, the screen stays disconnected until the next attempt. */
  async return(): Promise<void> {
    if (this.socket) return
    try {
      const socket = await this.browser.connect()
      this.socket = socket
      this.#read = 0
      void socket.closed.then(() => {
        if (this.socket === socket) this.drop()
      })
      await this.subscribe(socket)
    } catch {
      this.drop()
    }
  }

  drop(): void {
    this.catchUp()
    this.socket?.close()
    this.socket = null
  }

  catchUp(): void {
    const { received } = this.socket ?? { received: [] }
    for (; this.#read < received.length; this.#read++) {
      const message = received[this.#read]
      if (message) this.receive(message)
    }
  }

  /** Null if the connection is closed, or closes before the answer arrives. */
  async request(message: ClientMessageInput): Promise<string | null> {
    try {
      return (await this.socket?.request(message))?.type ?? null
    } catch {
      return null
    }
  }
}

/** A guest's phone: the page's own outbox and view, over a lossy network. */
class Phone extends Screen {
  shown: TableRequests = { open: [], done: [], listening: false, barrier: null }
  /** Everything that it has ever shown the guest, with the request concerned. */
  readonly shownTexts = new Map<string, { text: string; request: ServiceRequest }>()
  /** Taps for which it showed "Request Sent!". */
  readonly sent = new Set<string>()
  readonly taps: string[] = []
  readonly outbox: Outbox
  #table: { restaurantId: string; tableNumber: string }
  #network: Network = 'good'
  #posting = new Set<Promise<unknown>>()
  #newId = createUuidV7Generator(() => app.now())

  constructor(browser: TestBrowser, table: { restaurantId: string; tableNumber: string }) {
    super(browser)
    this.#table = table
    this.outbox = new Outbox({
      now: () => app.now(),
      post: (ask) => this.#post(ask),
      storage: { all: () => [], save: () => {}, remove: () => {} },
      schedule: () => () => {},
      random: () => 0.5,
    })
    this.outbox.subscribe((event) => {
      if (event.type === 'refused') throw new Error(`refused: ${event.message}`)
      if (event.type !== 'stored') return
      this.sent.add(event.tap.id)
      void this.refresh()
    })
  }

  async subscribe(socket: TestSocket): Promise<void> {
    await socket.request({ type: 'set-restaurant-context', ...this.#table })
  }

  protected receive(message: TestSocket['received'][number]): void {
    this.#show(tableRequestsReducer(this.shown, message))
  }

  async tap(serviceType: ServiceType, network: Network): Promise<void> {
    this.#network = network
    const ask = { id: this.#newId(), ...this.#table, serviceType, k: null, at: app.now() }
    this.taps.push(ask.id)
    this.outbox.add(ask)
    await this.#posted()
  }

  async retry(network: Network): Promise<void> {
    this.#network = network
    this.outbox.retryNow()
    await this.#posted()
  }

  async use(op: 'cancel' | 'still-waiting', which: number): Promise<void> {
    const request = this.shown.open[which % this.shown.open.length]
    if (!request) return
    const route = op === 'cancel' ? api.requests.cancel : api.requests.stillWaiting
    try {
      const { status, body } = await this.browser.call(route, { params: { id: request.id } })
      // If others at the table asked too, the request stays theirs.
      if (op === 'cancel' && status === 200 && !body.request)
        this.#show(tableRequestsReducer(this.shown, { type: 'cancelled-here', id: request.id }))
    } catch {
      // The server is down.
    }
  }

  async refresh(): Promise<void> {
    try {
      const { status, body } = await this.browser.call(api.requests.mine, { query: this.#table })
      if (status === 200) this.#show(tableRequestsReducer(this.shown, { type: 'snapshot', ...body }))
    } catch {
      // The server is down.
    }
  }

  #show(shown: TableRequests): void {
    this.shown = shown
    for (const request of shown.open)
      this.#record(`${requestStatus(request)}, asked ${request.asks}×`, request)
    for (const request of shown.done) this.#record('Done', request)
  }

  #record(text: string, request: ServiceRequest): void {
    this.shownTexts.set(`${request.id} ${text}`, { text, request })
  }

  async #posted(): Promise<void> {
    while (this.#posting.size > 0) await Promise.all(this.#posting)
  }

  #post(ask: Tap): Promise<Answer> {
    const posted = this.#sendOver(this.#network, ask)
    const settled: Promise<unknown> = posted.then(() => this.#posting.delete(settled))
    this.#posting.add(settled)
    return posted
  }

  async #sendOver(network: Network, { id, serviceType }: Tap): Promise<Answer> {
    if (network === 'lost') return { type: 'unreachable' }
    try {
      const { status, body } = await this.browser.call(api.requests.send, {
        body: { id, ...this.#table, serviceType },
      })
      if (network === 'answer-lost' || status >= 500) return { type: 'unreachable' }
      if (status >= 400) throw new Error(JSON.stringify(body))
      return { type: 'stored', request: body.request, again: status === 200 }
    } catch (error) {
      if (error instanceof TypeError) return { type: 'unreachable' }
      throw error
    }
  }
}

/** A crew member's tablet with the dashboard's own reducer. */
class Tablet extends Screen {
  #crewMemberId: string
  list = initialRequestsState

  constructor(browser: TestBrowser, crewMemberId: string) {
    super(browser)
    this.#crewMemberId = crewMemberId
  }

  async subscribe(socket: TestSocket): Promise<void> {
    await socket.request({ type: 'set-crew-member-context', crewMemberId: this.#crewMemberId })
    await socket.request({ type: 'get-pending-requests' })
  }

  protected receive(message: TestSocket['received'][number]): void {
    this.list = requestsReducer(this.list, message, app.now())
  }

  async act(act: CrewAct, which: number): Promise<void> {
    this.catchUp()
    const candidates =
      act === 'reopen-request' ? this.list.recent.map(({ request }) => request) : [...this.list.open]
    const { id } = candidates[which % candidates.length] ?? {}
    if (id === undefined) return
    await this.request(act === 'requests-seen' ? { type: act, ids: [id] } : { type: act, id })
  }
}

async function openRestaurant() {
  const { name, owner, device } = await app.restaurant({ tables: ['1', '2'] })
  const members = await Promise.all(
    ['Maya Chen', 'Tom Novak'].map((member) =>
      owner.ok(api.crew.add, { body: { name: member, role: 'Server' } }),
    ),
  )
  const phones = await Promise.all(
    ['1', '1', '2'].map(
      async (tableNumber) => new Phone(await app.phone(), { restaurantId: name, tableNumber }),
    ),
  )
  const tablets = members.map(({ id }) => new Tablet(device, id))
  const screens: Screen[] = [...phones, ...tablets]
  for (const screen of screens) await screen.return()
  return { name, phones, tablets, screens }
}
type Restaurant = Awaited<ReturnType<typeof openRestaurant>>

const pick = <T>(all: readonly T[], index: number): T => {
  const picked = all[index % all.length]
  if (picked === undefined) throw new Error('Nothing to pick from')
  return picked
}

async function perform({ phones, tablets, screens }: Restaurant, op: Op): Promise<void> {
  switch (op.op) {
    case 'tap':
      return pick(phones, op.phone).tap(op.serviceType, op.network)
    case 'retry':
      return pick(phones, op.phone).retry(op.network)
    case 'cancel':
    case 'still-waiting':
      return pick(phones, op.phone).use(op.op, op.which)
    case 'drop':
      return pick(screens, op.screen).drop()
    case 'return':
      return pick(screens, op.screen).return()
    case 'act':
      return pick(tablets, op.crew).act(op.act, op.which)
    case 'wait':
      app.advance(op.ms)
      // What a restart interrupts is caught up afterwards.
      return escalateDueRequests(app.ctx).catch((error: unknown) => {
        if (!restarting) throw error
      })
    case 'restart':
      // Simultaneous restarts count as one.
      return (restarting ??= app.restart().finally(() => {
        restarting = undefined
      }))
  }
}

async function eventsOf(name: string) {
  return app.ctx.db.reader
    .selectFrom('requestEvent')
    .innerJoin('restaurant', 'restaurant.id', 'requestEvent.restaurantId')
    .select(['requestEvent.id', 'requestId', 'kind', 'actorName'])
    .where('restaurant.name', '=', name)
    .execute()
}

type StoredEvent = Awaited<ReturnType<typeof eventsOf>>[number]

function isStored(text: string, request: ServiceRequest, events: readonly StoredEvent[]): boolean {
  const about = events.filter(({ requestId }) => requestId === request.id)
  const count = (...kinds: string[]) => about.filter(({ kind }) => kinds.includes(kind)).length
  const by = request.acceptedBy?.name
  return (
    count('created') === 1 &&
    count('created', 'asked') >= request.asks &&
    count('seen') >= request.seen &&
    (by === undefined ||
      about.some(({ kind, actorName }) => kind === 'accepted' && firstName(actorName) === by)) &&
    (text !== 'Done' || count('completed') > 0)
  )
}

/** Expects a stored event for everything that a phone has shown its guest so far. */
async function expectShownIsStored({ name, phones }: Restaurant): Promise<void> {
  const events = await eventsOf(name)
  const stored = new Set(
    events.filter(({ kind }) => kind === 'created' || kind === 'asked').map(({ id }) => id),
  )
  const untrue = phones.flatMap((phone) => [
    ...[...phone.sent].filter((id) => !stored.has(id)).map((id) => ({ text: 'Request Sent!', id })),
    ...[...phone.shownTexts.values()].filter(({ text, request }) => !isStored(text, request, events)),
  ])
  expect(untrue).toEqual([])
}

/** The network recovers and everybody reconnects: now nothing may be lost, duplicated or stuck. */
async function expectConsistent({ name, phones, tablets, screens }: Restaurant): Promise<void> {
  for (const phone of phones) {
    await phone.retry('good')
    expect(phone.outbox.waiting()).toEqual([])
  }
  for (const screen of screens) {
    screen.drop()
    await screen.return()
  }
  const [first] = tablets
  await expect.poll(() => (first?.catchUp(), first?.list.loaded)).toBe(true)
  const open = [...(first?.list.open ?? [])]
  for (const phone of phones) await phone.refresh()
  const shownByPhones = new Set(phones.flatMap(({ shown }) => shown.open.map(({ id }) => id)))
  expect(shownByPhones).toEqual(new Set(open.map(({ id }) => id)))

  const taps = phones.flatMap((phone) => phone.taps)
  const stored = (await eventsOf(name)).filter(({ kind }) => kind === 'created' || kind === 'asked')
  expect(stored.map(({ id }) => id).toSorted()).toEqual(taps.toSorted())

  for (const { id } of open) expect(await first?.request({ type: 'complete-request', id })).toBe('ack')
  for (const screen of screens) {
    const left = () => {
      screen.catchUp()
      return screen instanceof Phone ? screen.shown.open : screen instanceof Tablet ? screen.list.open : []
    }
    await expect.poll(left).toEqual([])
  }
}

const index = fc.nat(5)
const network = fc.constantFrom<Network>('good', 'good', 'lost', 'answer-lost')
const act = fc.constantFrom<CrewAct>(
  'requests-seen',
  'accept-request',
  'complete-request',
  'release-request',
  'reopen-request',
)
const crewActs = fc.record({ op: fc.constant('act' as const), crew: index, act, which: index })
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('tap' as const),
      phone: index,
      serviceType: fc.constantFrom(...serviceTypes.slice(0, 3)),
      network,
    }),
  },
  { weight: 8, arbitrary: crewActs },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('retry' as const), phone: index, network }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constantFrom('cancel', 'still-waiting'), phone: index, which: index }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('drop', 'return'), screen: index }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('wait' as const), ms: fc.constantFrom(5_000, 25_000, 190_000) }),
  },
  { weight: 1, arbitrary: fc.constant<Op>({ op: 'restart' }) },
)
/** The operations of one list are performed at the same time. */
const scenario = fc.array(fc.array(op, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 16 })

it('shows guests only what is stored, and neither loses nor duplicates anything, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      const restaurant = await openRestaurant()
      for (const ops of steps) {
        await Promise.all(ops.map((op) => perform(restaurant, op)))
        for (const screen of restaurant.screens) screen.catchUp()
        await expectShownIsStored(restaurant)
      }
      await expectConsistent(restaurant)
      for (const screen of restaurant.screens) screen.drop()
    }),
    { numRuns: 12, endOnFailure: true },
  )
})
