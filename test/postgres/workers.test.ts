import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, TestBrowser, type TestSocket } from '../support/app.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { connectScreen, pendingRequests } from '../support/pages/crew-view.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

const restaurantName = 'Blue Door'
const workers = 2

describe('several workers', () => {
  let database: TestDatabase
  let server: ServerProcess
  let owner: TestBrowser

  const start = async (guestLimits: 'on' | 'off') => {
    database = await freshDatabase()
    server = await startServer(database.url, { WORKERS: String(workers), GUEST_LIMITS: guestLimits })
    owner = new TestBrowser(() => server.url)
    await owner.ok(api.accounts.signUp, {
      body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
    })
    await allReady()
  }
  afterEach(async () => {
    if (isRunning(server.pid)) await server.stop()
    await database.drop()
  })

  async function metrics(): Promise<Record<string, number>> {
    const signal = AbortSignal.timeout(5_000)
    const text = await (await owner.fetch('/metrics', { signal })).text()
    return Object.fromEntries(
      [...text.matchAll(/^(\w+) (\S+)$/gmu)].map(([, name = '', value]) => [name, Number(value)]),
    )
  }

  const readyWorkers = () =>
    metrics().then(
      (figures) => figures['tableside_workers'],
      () => 0,
    )
  const allReady = async () => {
    await expect.poll(readyWorkers).toBe(workers)
  }

  const workerPids = (): number[] =>
    readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)

  const tap = (tableNumber: string, id: string = randomUUID()) => ({
    id,
    restaurantId: restaurantName,
    tableNumber,
    serviceType: 'check' as const,
  })

  const openScreens = (count: number): Promise<TestSocket[]> =>
    Promise.all(Array.from({ length: count }, () => connectScreen(owner)))

  it('shows a tap and its completion on the screens of all workers, and counts them', async () => {
    await start('off')
    const screens = await openScreens(4)
    const closed: TestSocket[] = []
    for (const screen of screens) void screen.closed.then(() => closed.push(screen))
    const { request } = await owner.ok(api.requests.send, { body: tap('7') })
    for (const screen of screens) expect((await screen.next('new-request')).request.id).toBe(request.id)
    await screens[0]?.request({ type: 'complete-request', id: request.id })
    for (const screen of screens) expect((await screen.next('request-completed')).id).toBe(request.id)
    // A worker that does not answer at once is left out.
    await expect.poll(metrics).toMatchObject({
      tableside_live_sockets: 4,
      tableside_bus_seconds_count: expect.any(Number),
      tableside_workers: workers,
      tableside_event_loop_delay_p99_seconds: expect.any(Number),
      process_resident_memory_bytes: expect.any(Number),
      process_uptime_seconds: expect.any(Number),
    })
    // Those of both workers and of the process above them.
    await expect.poll(async () => (await metrics())['process_resident_memory_bytes']).toBeGreaterThan(150e6)
    const [victim = 0] = workerPids()
    process.kill(victim, 'SIGKILL')
    await expectReplacement(victim)
    const liveOrClosed = async () => closed.length + ((await metrics())['tableside_live_sockets'] ?? 0)
    await expect.poll(liveOrClosed).toBe(4)
  })

  /** Says what happened, and nothing else. */
  async function expectReplacement(pid: number): Promise<void> {
    await expect.poll(workerPids).not.toContain(pid)
    await allReady()
    await expect
      .poll(() => server.lines.map((line) => JSON.parse(line)))
      .toEqual([
        expect.objectContaining({
          level: 'warn',
          worker: pid,
          msg: 'a worker ended, so another takes its place',
        }),
      ])
  }

  /** Guests who tap one after another until told to stop, with the page's patience: it sends a lost tap again. */
  function startGuests(count: number, mayFail: boolean) {
    const stored: string[] = []
    const running = new AbortController()
    async function send(body: ReturnType<typeof tap>): Promise<number> {
      const response = await new TestBrowser(() => server.url).fetch(api.requests.send.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      })
      return response.status
    }
    const guests = Array.from({ length: count }, async (_, guest) => {
      for (let number = 0; !running.signal.aborted; number++) {
        const body = tap(`${guest} ${number}`)
        const first = send(body)
        let status = await (mayFail ? first.catch(() => 0) : first)
        while (status === 0) status = await send(body).catch(() => 0)
        expect(status).toBeLessThan(300)
        stored.push(body.id)
      }
    })
    return async () => {
      running.abort()
      await Promise.all(guests)
      expect(stored.length).toBeGreaterThan(count)
      return stored.toSorted()
    }
  }

  const openIds = async () => (await pendingRequests(owner)).requests.map(({ id }) => id).toSorted()

  /** Comes back at once, unlike a page: no connection may be refused meanwhile. */
  async function keepConnected() {
    let screen = await owner.connect()
    let returns = 0
    let stopped = false
    const connected = (async () => {
      for (;;) {
        const code = await screen.closed
        if (stopped) return
        expect(code).toBe(1012)
        screen = await owner.connect()
        returns++
        if (stopped) screen.close()
      }
    })()
    return {
      returns: () => returns,
      stop: () => {
        stopped = true
        screen.close()
        return connected
      },
    }
  }

  it('replaces its workers one by one on SIGHUP without failing anybody', async () => {
    await start('off')
    const before = workerPids()
    const screens = await Promise.all(Array.from({ length: 4 }, keepConnected))
    const stopGuests = startGuests(2, false)
    process.kill(server.pid, 'SIGHUP')
    await expect.poll(() => workerPids().filter((pid) => before.includes(pid))).toEqual([])
    await expect.poll(() => screens.filter(({ returns }) => returns() === 0)).toEqual([])
    await Promise.all(screens.map(({ stop }) => stop()))
    const stored = await stopGuests()
    expect(await openIds()).toEqual(stored)
    expect(server.lines).toEqual([])
  })

  it('loses nothing when a worker is killed', async () => {
    await start('off')
    const stopGuests = startGuests(2, true)
    const [, victim = 0] = workerPids()
    process.kill(victim, 'SIGKILL')
    await expectReplacement(victim)
    const stored = await stopGuests()
    expect(await openIds()).toEqual(stored)
  })

  it('takes each scheduled step once, although every worker sees that it is due', async () => {
    await start('off')
    const [screen] = await openScreens(1)
    const ids = await Promise.all(
      Array.from({ length: 30 }, async (_, table) => {
        const { request } = await owner.ok(api.requests.send, { body: tap(`${table}`) })
        return request.id
      }),
    )
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const steps = async () => {
      const { rows } = await client.query<{ kind: string; steps: number; requests: number }>(
        `select kind, count(*)::int as steps, count(distinct request_id)::int as requests
        from request_event where actor_kind = 'system' group by kind`,
      )
      return rows
    }
    for (const level of [1, 2]) {
      await client.query('update service_request set next_level_at = 0')
      await expect
        .poll(steps)
        .toEqual([{ kind: 'escalated', steps: level * ids.length, requests: ids.length }])
    }
    const { rows } = await client.query('select distinct level from service_request')
    expect(rows).toEqual([{ level: 2 }])
    await client.end()
    const told = () => screen?.ofType('request-updated').map(({ request: { id, level } }) => `${id} ${level}`)
    const all = ids.flatMap((id) => [`${id} 1`, `${id} 2`]).toSorted()
    await expect.poll(() => told()?.toSorted()).toEqual(all)
  })

  it('answers on a connection that was being handed to a worker as it was killed', async () => {
    await start('off')
    const [victim = 0] = workerPids()
    // It takes no connection any more, so one of these waits for it.
    process.kill(victim, 'SIGSTOP')
    let answered = 0
    const answers = Array.from({ length: 4 }, async () => {
      const status = await getStatus(new URL('/healthz', server.url))
      answered++
      return status
    })
    await expect.poll(() => answered).toBe(3)
    process.kill(victim, 'SIGKILL')
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200])
    await expectReplacement(victim)
  })

  it('has the same limits as one process', async () => {
    await start('on')
    const phone = new TestBrowser(() => server.url)
    await phone.ok(api.requests.send, { body: tap('0') })
    const taps = Array.from({ length: 30 }, (_, table) =>
      phone.call(api.requests.send, { body: tap(`${table + 1}`) }),
    )
    expect(countBy((await Promise.all(taps)).map(({ status }) => status))).toEqual({ 201: 11, 429: 19 })

    const strangers = Array.from({ length: 16 }, () => {
      const body = { restaurantName, password: 'a wrong guess' }
      return new TestBrowser(() => server.url).call(api.accounts.restaurantLogin, { body })
    })
    expect(countBy((await Promise.all(strangers)).map(({ status }) => status))).toEqual({ 401: 5, 429: 11 })

    // A second server counts with the first, although their workers hear it all several times.
    const second = await startServer(database.url, { WORKERS: String(workers), GUEST_LIMITS: 'on' })
    const phoneThere = phone.sentTo(second)
    let table = 100
    const tapThere = async () =>
      (await phoneThere.call(api.requests.send, { body: tap(`${table++}`) })).status
    await expect.poll(tapThere).toBe(429)
    const another = new TestBrowser(() => second.url)
    expect((await another.call(api.requests.send, { body: tap('98') })).status).toBe(201)
    const guess = { restaurantName, password: 'a wrong guess' }
    expect((await another.call(api.accounts.restaurantLogin, { body: guess })).status).toBe(429)
    await second.stop()

    const sockets = await Promise.allSettled(Array.from({ length: 30 }, () => phone.connect()))
    const opened = sockets.flatMap((socket) => (socket.status === 'fulfilled' ? [socket.value] : []))
    expect(opened).toHaveLength(8)
    // A place is free again once its socket is gone, also when its worker died. One by one they go to both workers.
    const other = new TestBrowser(() => server.url)
    await other.ok(api.requests.send, { body: tap('99') })
    const places: TestSocket[] = []
    while (places.length < 8) places.push(await other.connect())
    await expect(other.connect()).rejects.toThrow('429')
    const [victim = 0] = workerPids()
    process.kill(victim, 'SIGKILL')
    await Promise.any(places.map(({ closed }) => closed))
    const connects = () =>
      other.connect().then(
        () => true,
        () => false,
      )
    await expect.poll(connects).toBe(true)
    for (const browser of [phone, other]) browser.close()
    await expectReplacement(victim)
  })

  it('says once that its port is taken, and ends all workers when it is stopped', async () => {
    await start('off')
    const screens = await openScreens(4)
    const pids = workerPids()
    const { port, hostname } = new URL(server.url)
    const taken = startServer(database.url, { WORKERS: '2', PORT: port, HOST: hostname })
    await expect(taken).rejects.toThrow(
      /^the server did not start: \w+ EADDRINUSE.+:\d+\nPlease choose another port, such as PORT=3001 npm start\nended by itself: 1$/u,
    )
    await server.stop()
    expect(await Promise.all(screens.map(({ closed }) => closed))).toEqual([1012, 1012, 1012, 1012])
    expect(pids.filter(isRunning)).toEqual([])
  })
})

/** On a connection of its own. */
async function getStatus(url: URL): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(get(url, { agent: false }), 'response')
  response?.resume()
  return response?.statusCode
}

function countBy(values: number[]): Record<number, number> {
  return Object.fromEntries(
    [...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]),
  )
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
