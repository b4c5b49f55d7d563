import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, type Tap, Outbox, type OutboxEvent, visitExpiredText } from './outbox.ts'

const ask = (id: string, at = 0): Tap => ({
  id,
  restaurantId: 'Blue Door',
  tableNumber: '7',
  serviceType: 'drinks',
  k: null,
  at,
})

/** A device that survives its pages, and a server that counts each id once. Time passes only when told to. */
function device() {
  let now = 0
  let timers: { due: number; work: () => void }[] = []
  let pages = 0
  const posts: ((fate: Fate) => void)[] = []
  const kept = new Map<string, Tap>()
  const stored = new Map<string, number>()
  const told: OutboxEvent[] = []

  async function post({ id }: Tap): Promise<Answer> {
    const from = pages
    const fate = await new Promise<Fate>((decide) => posts.push(decide))
    const answer = serve(id, fate)
    // What a page sent may arrive after it was left; the answer then finds nobody.
    return from === pages ? answer : new Promise(() => {})
  }
  function serve(id: string, fate: Fate): Answer {
    if (fate === 'lost on the way') return { type: 'unreachable' }
    if (fate === 'refused') return { type: 'refused', code: 'rate_limited', message: 'Please wait' }
    const again = stored.has(id)
    stored.set(id, (stored.get(id) ?? 0) + (again ? 0 : 1))
    return fate === 'answer lost' ? { type: 'unreachable' } : { type: 'stored', request: { id }, again }
  }
  function open(): Outbox {
    pages++
    timers = []
    const mine = timers
    const outbox = new Outbox({
      now: () => now,
      post,
      storage: {
        all: () => [...kept.values()],
        save: (tap) => kept.set(tap.id, tap),
        remove: ({ id }) => kept.delete(id),
      },
      schedule: (ms, work) => {
        const timer = { due: now + ms, work }
        mine.push(timer)
        return () => void mine.splice(mine.indexOf(timer), 1)
      },
      random: () => 0.5,
    })
    outbox.subscribeWithReplay((event) => told.push(event))
    outbox.start()
    return outbox
  }
  let page = open()
  const settle = (): Promise<void> => new Promise((done) => setImmediate(done))
  return {
    get page() {
      return page
    },
    kept,
    stored,
    told,
    /** How many posts wait for their fate. */
    get posting() {
      return posts.length
    },
    async reload() {
      page = open()
      await settle()
    },
    async decide(fate: Fate) {
      posts.shift()?.(fate)
      await settle()
    },
    async pass(ms: number) {
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
    pauses: () => timers.map(({ due }) => due - now),
  }
}
type Fate = 'stored' | 'lost on the way' | 'answer lost' | 'refused'

describe('the outbox', () => {
  it('keeps a tap on the device from before it is sent until it is stored', async () => {
    const phone = device()
    await phone.tap('a')
    expect([...phone.kept.keys()]).toEqual(['a'])
    expect(phone.page.waiting()).toEqual([ask('a')])
    await phone.decide('stored')
    expect(phone.kept.size).toBe(0)
    expect(phone.page.waiting()).toEqual([])
    expect(phone.told).toEqual([
      { type: 'added', tap: ask('a') },
      { type: 'stored', tap: ask('a'), request: { id: 'a' }, again: false },
    ])
  })

  it('retries with growing delays, and at once when the network comes back', async () => {
    const phone = device()
    await phone.tap('a')
    const pauses: number[] = []
    for (let tries = 0; tries < 7; tries++) {
      await phone.decide('lost on the way')
      const [pause = 0] = phone.pauses()
      pauses.push(pause)
      await phone.pass(pause)
    }
    expect(pauses).toEqual([750, 1500, 3000, 6000, 12_000, 22_500, 22_500])
    await phone.decide('lost on the way')
    phone.page.retryNow()
    await phone.decide('stored')
    expect(phone.stored).toEqual(new Map([['a', 1]]))
    expect(phone.pauses()).toEqual([])
  })

  it('sends a later tap at once, even while an earlier one is stuck', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.tap('b')
    expect(phone.posting).toBe(2)
  })

  it('never sends the same tap twice at the same time', async () => {
    const phone = device()
    await phone.tap('a')
    phone.page.retryNow()
    phone.page.retryNow()
    expect(phone.posting).toBe(1)
  })

  it('reports a refusal and does not send the tap again', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.decide('refused')
    expect(phone.told.at(-1)).toEqual({
      type: 'refused',
      tap: ask('a'),
      code: 'rate_limited',
      message: 'Please wait',
    })
    expect(phone.kept.size).toBe(0)
    await phone.reload()
    expect(phone.posting).toBe(0)
  })

  it('replays to the app what happened before it loaded', async () => {
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
    const told: string[] = []
    early.subscribeWithReplay(({ type }) => told.push(type))
    expect(told).toEqual(['added', 'stored'])
  })

  it('drops a tap when its visit is over, and says so', async () => {
    const phone = device()
    await phone.tap('a')
    await phone.decide('lost on the way')
    await phone.pass(10_800_001)
    expect(phone.told.at(-1)).toMatchObject({
      type: 'refused',
      code: 'visit_expired',
      message: visitExpiredText,
    })
    expect([phone.posting, phone.kept.size]).toEqual([0, 0])
  })

  it('stores each tap exactly once, whatever is lost, repeated or reloaded in whatever order', async () => {
    type Step =
      | { do: 'tap' }
      | { do: 'reload' }
      | { do: 'hurry' }
      | { do: 'decide'; fate: Fate }
      | { do: 'pass'; ms: number }
    const step = fc.oneof(
      fc.constant<Step>({ do: 'tap' }),
      fc.constant<Step>({ do: 'reload' }),
      fc.constant<Step>({ do: 'hurry' }),
      fc.record({
        do: fc.constant('decide' as const),
        fate: fc.constantFrom('stored', 'lost on the way', 'answer lost'),
      }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array<Step>(step, { maxLength: 40 }), async (steps) => {
        const phone = device()
        const taps: string[] = []
        for (const one of steps) {
          if (one.do === 'tap') {
            taps.push(`tap-${taps.length}`)
            await phone.tap(`tap-${taps.length - 1}`)
          } else if (one.do === 'reload') await phone.reload()
          else if (one.do === 'hurry') phone.page.retryNow()
          else if (one.do === 'decide') await phone.decide(one.fate)
          else if (one.do === 'pass') await phone.pass(one.ms)
        }
        const onTheDevice = new Set(phone.kept.keys())
        expect(
          taps.filter((id) => !phone.stored.has(id) && !onTheDevice.has(id)),
          'lost',
        ).toEqual([])

        await phone.reload()
        while (phone.posting > 0) await phone.decide('stored')
        expect([...phone.stored.keys()].toSorted()).toEqual(taps.toSorted())
        expect([...phone.stored.values()].every((times) => times === 1)).toBe(true)
        expect(phone.kept.size).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})
