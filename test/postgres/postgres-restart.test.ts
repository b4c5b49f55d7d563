import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LiveOutbox } from '../../src/client/api/live/live-outbox.ts'
import { type Answer, Outbox, type Tap } from '../../src/client/features/guest/taps/outbox.ts'
import { startTestApp, type TestBrowser, type TestSocket } from '../support/app.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'

const guestCount = 8

/** How long a page waits before it asks for the list again. */
const askAgainMs = 1_000

/** A crew member's screen, with the page's own outbox. It completes everything, and returns when its socket closes. */
async function openScreen(browser: TestBrowser, problems: string[], onCompleted: (id: string) => void) {
  const ending = new AbortController()
  const begun = new Set<string>()
  let refs = 0
  let socket = await browser.connect()
  const outbox = new LiveOutbox(
    (message) => socket.send(message),
    () => `outbox-${++refs}`,
    () => undefined,
  )

  function complete(id: string): void {
    if (begun.has(id)) return
    begun.add(id)
    outbox.add({ type: 'complete-request', id }).then(
      () => onCompleted(id),
      (error: unknown) => problems.push(`completion: ${String(error)}`),
    )
  }

  function receive(message: TestSocket['received'][number]): void {
    if (message.type === 'new-request') complete(message.request.id)
    if (message.type === 'pending-requests') for (const { id } of message.requests) complete(id)
    if (message.type === 'ack' || message.type === 'error') outbox.handleAnswer(message)
    if (message.type !== 'error') return
    if (message.code !== 'unavailable') problems.push(JSON.stringify(message))
    if (message.ref === 'list') setTimeout(askForList, askAgainMs)
  }

  function askForList(): void {
    if (!ending.signal.aborted) socket.send({ type: 'get-pending-requests', ref: 'list' })
  }

  /** Rejects when the socket closes. */
  async function follow(): Promise<never> {
    for (let read = 0; ;) {
      const message = socket.received[read]
      if (message) {
        read++
        receive(message)
      } else await socket.nextAny()
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      outbox.connectionOpened()
      askForList()
      await follow().catch(() => outbox.connectionLost())
      if (!ending.signal.aborted) socket = await browser.connect()
    }
  }
  run().catch((error: unknown) => problems.push(String(error)))

  return () => {
    ending.abort()
    socket.close()
  }
}

/** The page's own outbox on a guest's phone. */
function openPhone(browser: TestBrowser, restaurantId: string, statuses: Map<string, number>) {
  const stored: string[] = []
  const outbox = new Outbox({
    now: Date.now,
    random: Math.random,
    storage: { all: () => [], save: () => {}, remove: () => {} },
    schedule(ms, task) {
      const timer = setTimeout(task, ms)
      return () => clearTimeout(timer)
    },
    async post({ id, tableNumber, serviceType }: Tap): Promise<Answer> {
      const answer = await browser.send('POST', '/api/service-requests', {
        id,
        restaurantId,
        tableNumber,
        serviceType,
      })
      const { status, headers } = answer
      const outcome = status === 503 ? `503, again after ${headers.get('retry-after')}` : String(status)
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
      if (status >= 500) return { type: 'unreachable' }
      return { type: 'stored', request: { id }, again: status === 200 }
    },
  })
  outbox.subscribe(({ type, tap }) => type === 'stored' && stored.push(tap.id))
  return { outbox, stored }
}

describe.each(['fast', 'immediate'] as const)('a restart of PostgreSQL (%s)', (mode) => {
  it('loses and repeats no tap or completion, and shows nobody an error', async () => {
    const postgres = await startPostgres()
    const app = await startTestApp({ databaseUrl: postgres.url, guestLimits: false, clock: 'running' })
    onTestFinished(() => app.stop())
    const { name, device } = await app.restaurant()
    const problems: string[] = []
    const statuses = new Map<string, number>()
    const waiting = new Map<string, () => void>()
    const endScreens = await Promise.all(
      [1, 2, 3].map(() => openScreen(device, problems, (id) => waiting.get(id)?.())),
    )
    const sent: string[] = []
    const restarted = new AbortController()
    const guests = Array.from({ length: guestCount }, async () => {
      const { outbox, stored } = openPhone(app.browser(), name, statuses)
      do {
        const id = randomUUID()
        const completed = new Promise<void>((resolve) => waiting.set(id, resolve))
        const tableNumber = `${sent.push(id)}`
        outbox.add({ id, restaurantId: name, tableNumber, serviceType: 'check', k: null, at: Date.now() })
        await completed
      } while (!restarted.signal.aborted)
      await expect.poll(() => outbox.waiting()).toEqual([])
      return stored
    })
    await postgres.restart(mode)
    await postgres.restart(mode)
    restarted.abort()
    const stored = (await Promise.all(guests)).flat()
    for (const end of endScreens) end()

    expect(stored.toSorted()).toEqual(sent.toSorted())
    expect(problems).toEqual([])
    expect([...statuses.keys()]).toContain('503, again after 5')
    expect([...statuses.keys()].filter((status) => !/^20|^503, again after 5$/u.test(status))).toEqual([])
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select(['requestId', 'kind'])
      .where('kind', 'in', ['created', 'asked', 'completed'])
      .execute()
    const ofKind = (kind: string) =>
      events.filter((event) => event.kind === kind).map(({ requestId }) => requestId)
    expect(ofKind('created').toSorted()).toEqual(sent.toSorted())
    expect(ofKind('completed').toSorted()).toEqual(sent.toSorted())
    expect(ofKind('asked')).toEqual([])
    expect(app.lines.filter((line) => line.includes('unexpected error'))).toEqual([])
    // What the server does by itself says that the database was away.
    app.lines.length = 0
  })
})
