import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { createMetrics, toPrometheus } from '../../src/server/adapters/metrics.ts'
import { setUpApp, type TestBrowser } from '../support/app.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { type Sample, samplesIn, typesIn } from '../support/reading/prometheus.ts'
import { openPartyRestaurant } from '../support/restaurants/party-restaurant.ts'

const app = setUpApp()

const readMetrics = async (): Promise<string> => (await app.browser().fetch('/metrics')).text()

/** By how much each series has grown meanwhile; those that have not are left out. */
async function growthDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const keyOf = ({ name, labels }: Sample) => `${name}${JSON.stringify(labels)}`
  const before = new Map(samplesIn(await readMetrics()).map((sample) => [keyOf(sample), sample.value]))
  await work()
  const after = samplesIn(await readMetrics())
  return Object.fromEntries(
    after
      .map((sample) => [keyOf(sample), sample.value - (before.get(keyOf(sample)) ?? 0)] as const)
      .filter(([, growth]) => growth !== 0),
  )
}

const tap = (browser: TestBrowser, restaurantId: string, tableNumber = '7', id: string = randomUUID()) =>
  browser.call(api.requests.send, { body: { id, restaurantId, tableNumber, serviceType: 'check' } })

describe('the figures for Prometheus', () => {
  it('follow a request from the tap through the screen that shows it to its end', async () => {
    const { name, device } = await app.restaurant({ tables: ['7'] })
    const screen = await connectScreen(device)
    const guest = app.browser()
    const id = randomUUID()
    const growth = await growthDuring(async () => {
      expect((await tap(guest, name, '7', id)).status).toBe(201)
      // Its answer was lost, so the page sends it again.
      expect((await tap(guest, name, '7', id)).status).toBe(200)
      expect((await tap(guest, name, ' ')).status).toBe(400)
      await screen.request({ type: 'requests-seen', ids: [id] })
      await screen.request({ type: 'complete-request', id })
      expect((await screen.request({ type: 'complete-request', id: randomUUID() })).type).toBe('error')
    })
    expect(growth).toMatchObject({
      'tableside_answer_seconds_count{"to":"tap","outcome":"done"}': 2,
      'tableside_answer_seconds_count{"to":"tap","outcome":"refused"}': 1,
      'tableside_answer_seconds_count{"to":"live","outcome":"done"}': 1,
      'tableside_answer_seconds_count{"to":"live","outcome":"refused"}': 1,
      'tableside_request_events_total{"kind":"created"}': 1,
      'tableside_request_events_total{"kind":"completed"}': 1,
      'tableside_tap_seen_seconds_count{}': 1,
    })
    const commits = growth['tableside_commit_seconds_count{}'] ?? 0
    expect(commits).toBeGreaterThanOrEqual(3)
    expect(growth['tableside_transactions_total{}']).toBeGreaterThanOrEqual(commits)
    expect(growth['tableside_commit_seconds_sum{}']).toBeGreaterThan(0)
  })

  it('count what a move joins, and what its undo gives back', async () => {
    const { ask, move, undo } = await openPartyRestaurant(app)
    await ask(app.browser(), '12', 'drinks')
    app.advance(1)
    await ask(app.browser(), '4', 'drinks')
    const kindsDuring = async (work: () => Promise<unknown>) =>
      Object.fromEntries(
        Object.entries(await growthDuring(work)).flatMap(([key, growth]) => {
          const kind = /^tableside_request_events_total\{"kind":"(.*)"\}$/u.exec(key)?.[1]
          return kind === undefined ? [] : [[kind, growth]]
        }),
      )
    expect(await kindsDuring(() => move('4', '12', 'move-1'))).toEqual({ asked: 1, merged: 1 })
    expect(await kindsDuring(() => undo('move-1'))).toEqual({ taken_back: 1, reopened: 1 })
  })

  it('count a tap as seen once, by the first screen that shows it', async () => {
    const { name, owner, device } = await app.restaurant({ tables: ['7'] })
    const screens = [await connectScreen(device), await connectScreen(owner)]
    const { body } = await tap(app.browser(), name)
    const ids = [body.request.id]
    const growth = await growthDuring(async () => {
      for (const screen of screens) await screen.request({ type: 'requests-seen', ids })
    })
    expect(growth['tableside_tap_seen_seconds_count{}']).toBe(1)
  })

  it('tell pages, guests, staff and monitoring apart', async () => {
    const { name, owner } = await app.restaurant({ tables: ['7'] })
    const guest = app.browser()
    const growth = await growthDuring(async () => {
      await guest.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`)
      await guest.fetch('/no-such-page.js')
      await guest.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })
      await owner.ok(api.crew.list, {})
      await guest.fetch('/healthz')
      await guest.fetch('/readyz')
      await guest.fetch('/servingz')
    })
    const counts = Object.entries(growth).filter(([key]) => key.startsWith('tableside_answer_seconds_count'))
    expect(Object.fromEntries(counts)).toEqual({
      'tableside_answer_seconds_count{"to":"page","outcome":"done"}': 1,
      'tableside_answer_seconds_count{"to":"page","outcome":"refused"}': 1,
      'tableside_answer_seconds_count{"to":"guest","outcome":"done"}': 1,
      'tableside_answer_seconds_count{"to":"staff","outcome":"done"}': 1,
    })
  })

  it('say who listens and what waits to be sent', async () => {
    const figure = async (name: string, labels: Record<string, string> = {}) =>
      samplesIn(await readMetrics()).find(
        (sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels),
      )?.value
    const { device } = await app.restaurant()
    const screen = await connectScreen(device)
    await screen.request({ type: 'listening', sound: true, push: false, visible: true })
    await expect.poll(() => figure('tableside_listening_restaurants')).toBeGreaterThan(0)
    expect(await figure('tableside_queue_messages', { queue: 'push' })).toBe(0)
    expect(await figure('tableside_queue_overdue_seconds', { queue: 'outside' })).toBe(0)
  })

  it('name no restaurant, table or person, and have few labels', async () => {
    const { name, owner } = await app.restaurant({ tables: ['7'] })
    await tap(app.browser(), name)
    await owner.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`)
    await owner.fetch(`/${randomUUID()}`)
    const samples = samplesIn(await readMetrics())
    const values = new Map<string, Set<string>>()
    for (const { labels } of samples)
      for (const [label, value] of Object.entries(labels))
        values.set(label, (values.get(label) ?? new Set()).add(value))
    expect([...values.keys()].toSorted()).toEqual(['kind', 'le', 'outcome', 'queue', 'to', 'what'])
    expect([...(values.get('to') ?? [])]).toEqual(['tap', 'guest', 'staff', 'page', 'live'])
    expect([...(values.get('outcome') ?? [])]).toEqual(['done', 'refused', 'failed'])
    expect([...(values.get('queue') ?? [])]).toEqual(['push', 'outside', 'webhook'])
    for (const kind of values.get('kind') ?? []) expect(kind).toMatch(/^[a-z_]{4,15}$/u)
    // However many restaurants there are.
    expect(samples.length).toBeLessThan(500)
  })

  it('are all described in docs/monitoring.md, and nothing else is', async () => {
    const page = readFileSync('docs/monitoring.md', 'utf8')
    const described = [...page.matchAll(/^\| `(\w+)` \| (?:histogram|counter|gauge) \|/gmu)].map(
      ([, name = '']) => name,
    )
    const types = typesIn(await readMetrics())
    // Only servers with several workers, or with backups of their own, show these.
    const others = ['tableside_workers', 'tableside_backup_age_seconds', 'tableside_backup_overdue']
    expect(described.toSorted()).toEqual([...types.keys(), ...others].toSorted())
  })
})

describe('several processes', () => {
  it('are added up, but not what all of them know', async () => {
    const [first, second] = [createMetrics(), createMetrics()]
    for (const [index, metrics] of [first, second].entries()) {
      metrics.watch({
        sockets: () => 10,
        presence: () => ({ restaurants: 3, listeners: 7 + index }),
        queues: async () => [{ name: 'push', messages: 5, overdueMs: 1_500 }],
        backup: async () => ({ ageSeconds: 60, overdue: true }),
      })
      metrics.answered('tap', 201, 0.003)
      metrics.committed(4, 0.001)
    }
    const samples = samplesIn(await toPrometheus([await first.read(), await second.read()]))
    const valueOf = (name: string, labels: Record<string, string> = {}) =>
      samples.find(
        (sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels),
      )?.value
    expect(valueOf('tableside_live_sockets')).toBe(20)
    expect(valueOf('tableside_transactions_total')).toBe(8)
    expect(valueOf('tableside_answer_seconds_count', { to: 'tap', outcome: 'done' })).toBe(2)
    expect(valueOf('tableside_listening_restaurants')).toBe(3)
    expect(valueOf('tableside_listeners')).toBe(8)
    expect(valueOf('tableside_queue_messages', { queue: 'push' })).toBe(5)
    expect(valueOf('tableside_queue_overdue_seconds', { queue: 'push' })).toBe(1.5)
    expect(valueOf('tableside_backup_age_seconds')).toBe(60)
    expect(valueOf('tableside_backup_overdue')).toBe(1)
    first.stop()
    second.stop()
  })

  it('still show the other figures while the database does not answer', async () => {
    const metrics = createMetrics()
    metrics.watch({
      sockets: () => 1,
      presence: () => ({ restaurants: 0, listeners: 0 }),
      queues: () => Promise.reject(new Error('The database does not answer')),
      backup: null,
    })
    const names = samplesIn(await toPrometheus([await metrics.read()])).map(({ name }) => name)
    expect(names).toContain('tableside_live_sockets')
    expect(names).not.toContain('tableside_queue_messages')
    metrics.stop()
  })
})
