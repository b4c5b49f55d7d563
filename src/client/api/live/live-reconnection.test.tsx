// @vitest-environment jsdom
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { type ClientMessageInput, closeCodes } from '#contract/live.ts'
import { freezeTime, setUpLivePage, snapshot } from '../../../../test/support/pages/live-page.ts'
import { freePort } from '../../../../test/support/ports.ts'

const page = setUpLivePage()

/** A page whose server takes connections and says nothing. Returns how often the page has tried. */
async function openAtSilentServer(result: 'answers' | 'silent'): Promise<() => number> {
  freezeTime()
  const sockets: Socket[] = []
  const listener = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => listener.close(resolve))
  })
  const port = await freePort()
  await once(listener.listen(port, '127.0.0.1'), 'listening')
  let attempts = 0
  page.open({
    url: () => {
      attempts += 1
      return `ws://127.0.0.1:${port}/ws`
    },
    probeServer: async () => result,
  })
  page.acquire()
  return () => attempts
}

describe('on every connection', () => {
  it('sends its contexts before its requests, and is live only once the snapshot has arrived', async () => {
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya', pin: '1234' })
    page.live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    page.live.setContext({ type: 'listening', sound: true, push: false })
    page.subscribe()
    page.acquire()
    const { server } = page
    const received = [await server.next(), await server.next(), await server.next(), await server.next()]
    expect(received.map(({ type }) => type)).toEqual([
      'listening',
      'set-restaurant-context',
      'set-crew-member-context',
      'get-pending-requests',
    ])
    expect(received[2]).toMatchObject({ crewMemberId: 'maya', pin: '1234' })
    expect(page.server.resumes).toEqual([{ type: 'resume', ref: expect.any(String), messages: received }])
    expect(page.live.connection.state).toBe('reconnecting')
    page.server.send(snapshot(0))
    await page.waitForState('live')
  })

  it('reconnects by itself after an outage, and sends everything again', async () => {
    page.live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    await page.connect(7)
    await page.loseServer()
    expect(page.live.connection).toEqual({ state: 'reconnecting', lastMessageAt: expect.any(Number) })
    await page.server.start()
    expect((await page.server.next()).type).toBe('set-restaurant-context')
    expect((await page.server.next()).type).toBe('get-pending-requests')
    // A restored server may count from a lower number.
    page.server.send(snapshot(2))
    await page.waitForState('live')
  })

  it('comes back within a second and without asking, the first time', async () => {
    freezeTime()
    page.open({ probeServer: () => new Promise(() => {}) })
    await page.connect()
    page.server.close(closeCodes.restart)
    await page.waitForState('reconnecting')
    await vi.advanceTimersByTimeAsync(1_000)
    await page.server.nextOf('get-pending-requests')
    expect(page.server.opened).toBe(2)
    page.server.send(snapshot(0))
    await page.waitForState('live')
    // A server that takes sockets only to close them is asked, and waited for.
    page.server.close(closeCodes.restart)
    await page.waitForState('reconnecting')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(page.server.opened).toBe(2)
  })

  it('spreads the first attempts of all screens over the whole second', async () => {
    freezeTime()
    for (const [random, ms] of [
      [0.001, 1],
      [0.999, 999],
    ] as const) {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      const opened = page.server.opened
      page.open()
      await page.connect()
      page.server.close(closeCodes.restart)
      await page.waitForState('reconnecting')
      await vi.advanceTimersByTimeAsync(ms - 1)
      expect(page.server.opened).toBe(opened + 1)
      await vi.advanceTimersByTimeAsync(1)
      await page.server.nextOf('get-pending-requests')
      expect(page.server.opened).toBe(opened + 2)
    }
  })

  it('tries no socket while the server cannot be reached, and then at once', async () => {
    freezeTime()
    let asked = 0
    let isReachable = false
    page.open({
      probeServer: async () => {
        asked += 1
        return isReachable ? 'answers' : 'fails'
      },
    })
    await page.connect()
    await page.loseServer()
    // Until the first attempt has failed.
    const hasAsked = (): boolean => asked > 0
    while (!hasAsked()) {
      await vi.advanceTimersByTimeAsync(100)
      await setImmediate()
    }
    await page.server.start()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(asked).toBeGreaterThanOrEqual(30)
    expect(page.server.opened).toBe(1)
    isReachable = true
    await vi.advanceTimersByTimeAsync(1_000)
    await page.server.nextOf('get-pending-requests')
    expect(page.server.opened).toBe(2)
  })

  it.each([
    ['keeps its place while a slow server answers, but not for ever', 'answers', [1, 1, 2]],
    ['opens another socket when nothing answers', 'silent', [1, 2, 3]],
  ] as const)('%s', async (_, result, opened) => {
    const countAttempts = await openAtSilentServer(result)
    const counts: number[] = []
    for (const seconds of [4, 4, 9]) {
      await vi.advanceTimersByTimeAsync(seconds * 1_000)
      counts.push(countAttempts())
    }
    expect(counts).toEqual(opened)
  })

  it('waits no longer for a slow server when the clock of the device is set back', async () => {
    const countAttempts = await openAtSilentServer('answers')
    vi.setSystemTime(Date.now() - 3_600_000)
    await vi.advanceTimersByTimeAsync(17_000)
    expect(countAttempts()).toBeGreaterThan(1)
  })

  it('is live without a list when nothing came after its last number', async () => {
    const sequences = page.recordSequences()
    await page.connect(7)
    await page.loseServer()
    await page.server.start()
    const ask = await page.server.nextOf('get-pending-requests')
    expect(ask).toMatchObject({ since: 7 })
    page.server.send({ type: 'request-completed', id: 'a', by: null, seq: 8 })
    page.server.send({ type: 'ack', ref: ask.ref, unchanged: true })
    await page.waitForState('live')
    page.server.send({ type: 'request-completed', id: 'b', by: null, seq: 9 })
    await expect.poll(() => sequences).toEqual([7, 8, undefined, 9])
  })

  it('needs the list if somebody has begun to follow it meanwhile', async () => {
    await page.connect(7)
    await page.loseServer()
    page.subscribe()
    await page.server.start()
    expect(await page.server.nextOf('get-pending-requests')).not.toHaveProperty('since')
  })

  it('needs the list if the one that somebody asked for did not arrive', async () => {
    await page.connect(7)
    page.subscribe()
    await page.server.nextOf('get-pending-requests')
    await page.loseServer()
    await page.server.start()
    expect(await page.server.nextOf('get-pending-requests')).not.toHaveProperty('since')
  })

  it('needs the messages if the page acts as somebody else now', async () => {
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' })
    page.subscribe('messages')
    page.acquire()
    await page.server.nextOf('get-team-messages')
    page.server.send({ type: 'team-messages-history', messages: [], seq: 4 })
    await page.waitForState('live')
    await page.loseServer()
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'tom' })
    await page.server.start()
    expect(await page.server.nextOf('get-team-messages')).not.toHaveProperty('since')
  })

  it('asks for the messages again once the server knows who asks', async () => {
    freezeTime()
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' })
    page.subscribe('messages')
    page.acquire()
    const refuse = async (type: ClientMessageInput['type'], code: ErrorCode): Promise<void> =>
      page.server.send({ type: 'error', ref: (await page.server.nextOf(type)).ref, code, message: 'No' })
    await refuse('set-crew-member-context', 'unavailable')
    await refuse('get-team-messages', 'forbidden')
    await page.waitForState('live')
    await vi.advanceTimersByTimeAsync(5_000)
    await page.server.ack('set-crew-member-context')
    await page.server.nextOf('get-team-messages')
    expect(page.live.connection.state).toBe('reconnecting')
    page.server.send({ type: 'team-messages-history', messages: [], seq: 4 })
    await page.waitForState('live')
  })

  it('needs the list if the server does not accept where the page is', async () => {
    page.live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    await page.connect(7)
    await page.loseServer()
    await page.server.start()
    const [restaurant, ask] = [await page.server.next(), await page.server.next()]
    expect(ask).toMatchObject({ type: 'get-pending-requests', since: 7 })
    page.server.send({
      type: 'ack',
      ref: page.server.resumes.at(-1)?.ref,
      answers: [
        { type: 'error', ref: restaurant.ref, code: 'not_found', message: 'Restaurant not found' },
        { type: 'ack', ref: ask.ref, unchanged: true },
      ],
    })
    expect(await page.server.nextOf('get-pending-requests')).not.toHaveProperty('since')
    expect(page.live.connection.state).toBe('reconnecting')
  })

  it('passes on the answers that come together', async () => {
    const answers: (string | undefined)[] = []
    page.live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' }, (refused) =>
      answers.push(refused?.code),
    )
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, (refused) =>
      answers.push(refused?.code),
    )
    page.acquire()
    const [restaurant, member] = [await page.server.next(), await page.server.next()]
    page.server.send({
      type: 'ack',
      ref: page.server.resumes[0]?.ref,
      answers: [
        { type: 'ack', ref: restaurant.ref },
        { type: 'error', ref: member.ref, code: 'pin_required', message: 'Please enter your PIN' },
      ],
    })
    await expect.poll(() => answers).toEqual([undefined, 'pin_required'])
  })

  it('sends them one by one to a server that does not take them together', async () => {
    page.live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    page.subscribe()
    const kept = page.live.request({ type: 'complete-request', id: 'a' })
    page.acquire()
    const together = [await page.server.next(), await page.server.next()]
    page.server.send({
      type: 'error',
      ref: page.server.resumes[0]?.ref,
      code: 'invalid',
      message: 'Message not understood',
    })
    expect([await page.server.next(), await page.server.next()]).toEqual(together)
    expect(page.server.resumes).toHaveLength(1)
    await page.server.ack('complete-request')
    await kept
    page.server.send(snapshot(0))
    await page.waitForState('live')
  })

  it('passes each answer to a context on to its owner', async () => {
    const answers: (string | undefined)[] = []
    page.acquire()
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, (refused) =>
      answers.push(refused?.code),
    )
    const first = await page.server.nextOf('set-crew-member-context')
    page.server.send({
      type: 'error',
      ref: first.ref,
      code: 'pin_required',
      message: 'Please enter your PIN',
    })
    await expect.poll(() => answers).toEqual(['pin_required'])
    await page.server.stop()
    await page.server.start()
    await page.server.ack('set-crew-member-context')
    await expect.poll(() => answers).toEqual(['pin_required', undefined])
  })
})

describe('a list that cannot be read after a lost event', () => {
  const loseEvent = async (): Promise<void> => {
    await page.connect(3)
    page.server.send({ type: 'request-completed', seq: 5, id: 'a', by: null })
  }

  it('is asked for again, ever less often, and the page is not live until it has come', async () => {
    freezeTime()
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const sequences = page.recordSequences()
    await loseEvent()
    for (const waitMs of [1_000, 2_000, 4_000]) {
      const { ref } = await page.server.nextOf('get-pending-requests')
      page.server.send({ type: 'error', ref, code: 'unavailable', message: 'Please try again' })
      await page.waitForState('reconnecting')
      // Not before its time: this is the next that the server receives.
      await vi.advanceTimersByTimeAsync(waitMs - 1)
      const probe = page.live.request({ type: 'complete-request', id: 'b' })
      const received = await page.server.next()
      expect(received.type).toBe('complete-request')
      page.server.send({ type: 'ack', ref: received.ref })
      await probe
      await vi.advanceTimersByTimeAsync(1)
    }
    await page.server.nextOf('get-pending-requests')
    page.server.send(snapshot(5))
    await page.waitForState('live')
    expect(sequences.filter((seq) => seq !== undefined)).toEqual([3, 5])
    page.server.send({ type: 'request-completed', seq: 7, id: 'c', by: null })
    const { ref } = await page.server.nextOf('get-pending-requests')
    page.server.send({ type: 'error', ref, code: 'internal', message: 'Something went wrong' })
    await page.waitForState('reconnecting')
    await vi.advanceTimersByTimeAsync(1_000)
    await page.receiveSnapshot(7)
  })

  it('is asked for again if nothing answers', async () => {
    freezeTime()
    await loseEvent()
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await page.server.nextOf('get-pending-requests')
      await vi.advanceTimersByTimeAsync(5_000)
      expect(page.live.connection.state).toBe('reconnecting')
      await vi.advanceTimersByTimeAsync(2_000)
    }
    await page.receiveSnapshot(5)
    expect(page.server.opened).toBe(1)
  })

  it('is asked for as a whole on the next connection', async () => {
    freezeTime()
    await page.connect(3)
    page.subscribe()
    const { ref } = await page.server.nextOf('get-pending-requests')
    page.server.send({ type: 'error', ref, code: 'unavailable', message: 'Please try again' })
    await page.waitForState('reconnecting')
    page.server.close(closeCodes.restart)
    await vi.advanceTimersByTimeAsync(0)
    await expect.poll(() => vi.advanceTimersByTimeAsync(100).then(() => page.server.opened)).toBe(2)
    expect(await page.server.nextOf('get-pending-requests')).not.toHaveProperty('since')
    page.server.send(snapshot(3))
    await page.waitForState('live')
  })
})

describe('a connection that died unnoticed', () => {
  it('is detected by an unanswered ping, and replaced', async () => {
    freezeTime()
    await page.connect()
    await vi.advanceTimersByTimeAsync(15_000)
    const answered = Promise.withResolvers<void>()
    page.live.onMessage(({ type }) => type === 'ack' && answered.resolve())
    await page.server.ack('ping')
    await answered.promise
    expect(page.live.connection.state).toBe('live')
    await vi.advanceTimersByTimeAsync(15_000)
    await page.server.nextOf('ping')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(page.live.connection.state).toBe('reconnecting')
    await page.receiveSnapshot()
    expect(page.server.opened).toBe(2)
  })

  it('is not live after the tablet wakes up until the server has answered', async () => {
    freezeTime()
    await page.connect()
    vi.setSystemTime(Date.now() + 3_600_000)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(page.live.connection.state).toBe('reconnecting')
    await page.server.ack('ping')
    await page.waitForState('live')
    expect(page.server.opened).toBe(1)
  })

  it.each(['online', 'pageshow'])('is replaced at once on "%s"', async (wakeUp) => {
    freezeTime()
    page.acquire()
    page.live.setContext({ type: 'listening', sound: false, push: false })
    await page.server.nextOf('listening')
    const lost = page.waitForState('reconnecting')
    await page.server.stop()
    await lost
    await page.server.start()
    window.dispatchEvent(new Event(wakeUp))
    await page.server.nextOf('listening')
  })
})
