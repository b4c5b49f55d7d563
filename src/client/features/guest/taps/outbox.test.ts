import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { visitExpiredText } from '../visit.ts'
import { type Answer, type Tap, Outbox, type OutboxEvent } from './outbox.ts'

const ask = (id: string, at = 0): Tap => ({
  id,
  restaurantId: 'Blue Door',
  tableNumber: '7',
  serviceType: 'drinks',
  k: null,
  at,
})

/** A device that survives its pages, and a server that counts each id once. Time passes only on `advance`. */
function device() {
  let now = 0
  let timers: { due: number; work: () => void }[] = []
  let pages = 0
  const posts: ((outcome: Outcome) => void)[] = []
  const saved = new Map<string, Tap>()
  const stored = new Map<string, number>()
  const events: OutboxEvent[] = []

  async function post({ id }: Tap): Promise<Answer> {
    const from = pages
    const outcome = await new Promise<Outcome>((decide) => posts.push(decide))
    const answer = serve(id, outcome)
    // A post may arrive after its page was left; then nobody receives the answer.
    return from === pages ? answer : new Promise(() => {})
  }
  function serve(id: string, outcome: Outcome): Answer {
    if (outcome === 'lost on the way') return { type: 'unreachable' }
    if (outcome === 'refused') return { type: 'refused', code: 'rate_limited', message: 'Please wait' }
    const again = stored.has(id)
    stored.set(id, (stored.get(id) ?? 0) + (again ? 0 : 1))
    return outcome === 'answer lost' ? { type: 'unreachable' } : { type: 'stored', request: { id }, again }
  }
  function open(): Outbox {
    pages++
    timers = []
    const mine = timers
    const outbox = new Outbox({
      now: () => now,
      post,
      storage: {
        all: () => [...saved.values()],
        save: (tap) => saved.set(tap.id, tap),
        remove: ({ id }) => saved.delete(id),
      },
      schedule: (ms, work) => {
        const timer = { due: now + ms, work }
        mine.push(timer)
        return () => void mine.splice(mine.indexOf(timer), 1)
      },
      random: () => 0.5,
    })
    outbox.subscribeWithReplay((event) => events.push(event))
    outbox.start()
    return outbox
  }
  let page = open()
  const settle = (): Promise<void> => new Promise((done) => setImmediate(done))
  return {
    get page() {
      return page
    },
    saved,
    stored,
    events,
    /** How many posts have no outcome yet. */
    get pendingPosts() {
      return posts.length
    },
    async reload() {
      page = open()
      await settle()
    },
    async decide(outcome: Outcome) {
      posts.shift()?.(outcome)
      await settle()
    },
    async advance(ms: number) {
      now += ms
      const due = timers.filter((timer) => timer.due <= now)
      for (const timer of due) timers.splice(timers.indexOf(timer), 1)
      for (const { work } of due) work()
      await settle()
    },
    async tap(id: string) {
      page.add(ask(id, now))
      await settle()
    },
    delays: () => timers.map(({ due }) => due - now),
  }
}
type Outcome = 'stored' | 'lost on the way' | 'answer lost' | 'refused'

describe('the outbox', () => {
  it('sends a tap also if the page fails to show it', async () => {
    const report = vi.fn()
    vi.stubGlobal('reportError', report)
    const phone = device()
    const failure = new RangeError('Invalid time zone')
    phone.page.subscribe(() => {
      throw failure
    })
    const events: OutboxEvent[] = []
    phone.page.subscribe((event) => events.push(event))
    await phone.tap('a')
    await phone.decide('stored')
    expect(phone.saved.size).toBe(0)
    expect(events).toEqual(phone.events)
    expect(report.mock.calls).toEqual([[failure], [failure]])
  })

  it('keeps a tap on the device from before it is sent until it is stored', async () => {
    const phone = device()
    await phone.tap('a')
    expect([...phone.saved.keys()]).toEqual(['a'])
    expect(phone.page.waiting()).toEqual([ask('a')])
    await phone.decide('stored')
    expect(phone.saved.size).toBe(0)
    expect(phone.page.waiting()).toEqual([])
    expect(phone.events).toEqual([
      { type: 'added', tap: ask('a') },
      { type: 'stored', tap: ask('a'), request: { id: 'a' }, again: false },
    ])
  })

  it('sends a tap no more that the guest has taken back', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.decide('lost on the way')
    const [tap = ask('a')] = phone.page.waiting()
    phone.page.withdraw(tap)
    expect([phone.saved.size, phone.page.waiting()]).toEqual([0, []])
    await phone.advance(60_000)
    expect(phone.pendingPosts).toBe(0)
    await phone.reload()
    expect(phone.pendingPosts).toBe(0)
    expect(phone.events.map(({ type }) => type)).toEqual(['added', 'withdrawn'])
    expect(phone.stored.size).toBe(0)
  })

  it('does not confirm a tap that arrives after it was taken back', async () => {
    const phone = device()
    await phone.tap('a')
    for (const tap of phone.page.waiting()) phone.page.withdraw(tap)
    await phone.decide('stored')
    expect(phone.events.map(({ type }) => type)).toEqual(['added', 'withdrawn'])
  })

  it('retries with growing delays, and at once when the network comes back', async () => {
    const phone = device()
    await phone.tap('a')
    const delays: number[] = []
    for (let tries = 0; tries < 7; tries++) {
      await phone.decide('lost on the way')
      const [delay = 0] = phone.delays()
      delays.push(delay)
      await phone.advance(delay)
    }
    expect(delays).toEqual([750, 1500, 3000, 6000, 12_000, 22_500, 22_500])
    await phone.decide('lost on the way')
    phone.page.retryNow()
    await phone.decide('stored')
    expect(phone.stored).toEqual(new Map([['a', 1]]))
    expect(phone.delays()).toEqual([])
  })

  it('sends a later tap at once, even while an earlier one is stuck', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.tap('b')
    expect(phone.pendingPosts).toBe(2)
  })

  it('never sends the same tap twice at the same time', async () => {
    const phone = device()
    await phone.tap('a')
    phone.page.retryNow()
    phone.page.retryNow()
    expect(phone.pendingPosts).toBe(1)
  })

  it('reports a refusal and does not send the tap again', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.decide('refused')
    expect(phone.events.at(-1)).toEqual({
      type: 'refused',
      tap: ask('a'),
      code: 'rate_limited',
      message: 'Please wait',
    })
    expect(phone.saved.size).toBe(0)
    await phone.reload()
    expect(phone.pendingPosts).toBe(0)
  })

  it('replays earlier events to the app once it has loaded', async () => {
    const phone = device()
    const early = new Outbox({
      now: () => 0,
      post: async ({ id }) => ({ type: 'stored', request: { id }, again: false }),
      storage: { all: () => [], save: () => {}, remove: () => {} },
      schedule: () => () => {},
      random: () => 0,
    })
    early.add(ask('a'))
    await phone.reload()
    const events: string[] = []
    early.subscribeWithReplay(({ type }) => events.push(type))
    expect(events).toEqual(['added', 'stored'])
  })

  it('drops a tap when its visit is over, and says so', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.decide('lost on the way')
    await phone.advance(10_800_001)
    expect(phone.events.at(-1)).toMatchObject({
      type: 'refused',
      code: 'visit_expired',
      message: visitExpiredText,
    })
    expect([phone.pendingPosts, phone.saved.size]).toEqual([0, 0])
  })

  it('stores each tap exactly once, whatever is lost, repeated or reloaded in whatever order', async () => {
    type Step =
      | { do: 'tap' }
      | { do: 'reload' }
      | { do: 'retry' }
      | { do: 'decide'; outcome: Outcome }
      | { do: 'advance'; ms: number }
    const anyStep = fc.oneof(
      fc.constant<Step>({ do: 'tap' }),
      fc.constant<Step>({ do: 'reload' }),
      fc.constant<Step>({ do: 'retry' }),
      fc.record({
        do: fc.constant('decide' as const),
        outcome: fc.constantFrom('stored', 'lost on the way', 'answer lost'),
      }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array<Step>(anyStep, { maxLength: 40 }), async (steps) => {
        const phone = device()
        const taps: string[] = []
        for (const step of steps) {
          if (step.do === 'tap') {
            taps.push(`tap-${taps.length}`)
            await phone.tap(`tap-${taps.length - 1}`)
          } else if (step.do === 'reload') await phone.reload()
          else if (step.do === 'retry') phone.page.retryNow()
          else if (step.do === 'decide') await phone.decide(step.outcome)
          else if (step.do === 'advance') await phone.advance(step.ms)
        }
        const savedIds = new Set(phone.saved.keys())
        expect(
          taps.filter((id) => !phone.stored.has(id) && !savedIds.has(id)),
          'lost',
        ).toEqual([])

        await phone.reload()
        while (phone.pendingPosts > 0) await phone.decide('stored')
        expect([...phone.stored.keys()].toSorted()).toEqual(taps.toSorted())
        expect([...phone.stored.values()].every((times) => times === 1)).toBe(true)
        expect(phone.saved.size).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})
