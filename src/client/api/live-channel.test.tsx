// @vitest-environment jsdom
import { once } from 'node:events'
import { act, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type WebSocket as Peer, WebSocketServer } from 'ws'
import { type ClientMessageInput, ServerMessage, closeCodes } from '#contract/live.ts'
import { expectConsoleError } from '../../../test/support/console.ts'
import { stubBrowserWebSocket } from '../../../test/support/jsdom-socket.ts'
import { freePort } from '../../../test/support/ports.ts'
import { LiveChannel, LiveError } from './live-channel.ts'
import { LiveContext, useConnection, useLiveState } from './use-live.ts'

/** The far end of the channel, which says and does only what a test tells it. */
class FarEnd {
  #server: WebSocketServer | null = null
  #port: number | undefined
  #sockets: Peer[] = []
  #received: ClientMessageInput[] = []
  #waiting: (() => void)[] = []
  opened = 0

  async start(): Promise<void> {
    this.#port ??= await freePort()
    this.#server = new WebSocketServer({ port: this.#port, host: '127.0.0.1', maxPayload: 16_384 })
    await once(this.#server, 'listening')
    this.#server.on('connection', (socket) => {
      this.opened += 1
      this.#sockets.push(socket)
      socket.on('message', (data: Buffer) => {
        this.#received.push(JSON.parse(data.toString()))
        this.#waiting.shift()?.()
      })
    })
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`
  }

  async next(): Promise<ClientMessageInput> {
    for (;;) {
      const message = this.#received.shift()
      if (message) return message
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async nextOf(type: ClientMessageInput['type']): Promise<ClientMessageInput> {
    for (;;) {
      const message = await this.next()
      if (message.type === type) return message
    }
  }

  say(message: ServerMessage | string): void {
    this.#sockets.at(-1)?.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async ack(type: ClientMessageInput['type']): Promise<void> {
    this.say({ type: 'ack', ref: (await this.nextOf(type)).ref })
  }

  hangUp(code: number): void {
    this.#sockets.at(-1)?.close(code)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate()
    this.#sockets = []
    this.#received = []
    const server = this.#server
    this.#server = null
    if (server) await new Promise((resolve) => server.close(resolve))
  }
}

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)
const snapshot = (seq: number): ServerMessage => ({ type: 'pending-requests', seq, requests: [], recent: [] })

let far: FarEnd
let live: LiveChannel
let releases: (() => void)[]

beforeEach(async () => {
  stubBrowserWebSocket()
  far = new FarEnd()
  await far.start()
  live = new LiveChannel({ url: () => far.url, isMessage })
  releases = []
})

afterEach(async () => {
  for (const release of releases) release()
  await far.stop()
})

const hold = (): void => void releases.push(live.acquire())
const follow = (): void => void releases.push(live.subscribe('requests'))

async function becomes(state: string): Promise<void> {
  if (live.connection.state === state) return
  await new Promise<void>((resolve) => {
    const stop = live.onConnectionChange(() => {
      if (live.connection.state !== state) return
      stop()
      resolve()
    })
  })
}

/** Connects, follows the requests, and receives their snapshot. */
async function goLive(sequence = 0): Promise<void> {
  follow()
  hold()
  await far.nextOf('get-pending-requests')
  far.say(snapshot(sequence))
  await becomes('live')
}

/** Time stands still but for what a test lets pass; the network goes on. */
const stopTime = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })

describe('on every connection', () => {
  it('sends its contexts before its requests, and is live only once the snapshot has come', async () => {
    live.setContext({ type: 'listening', sound: true, push: false })
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya', pin: '1234' })
    live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    follow()
    hold()
    const said = [await far.next(), await far.next(), await far.next(), await far.next()]
    expect(said.map(({ type }) => type)).toEqual([
      'set-restaurant-context',
      'set-crew-member-context',
      'listening',
      'get-pending-requests',
    ])
    expect(said[1]).toMatchObject({ crewMemberId: 'maya', pin: '1234' })
    expect(live.connection.state).toBe('reconnecting')
    far.say(snapshot(0))
    await becomes('live')
  })

  it('reconnects by itself after an outage, and sends everything again', async () => {
    live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    await goLive(7)
    await far.stop()
    await becomes('reconnecting')
    expect(live.connection).toEqual({ state: 'reconnecting', lastMessageAt: expect.any(Number) })
    await far.start()
    expect((await far.next()).type).toBe('set-restaurant-context')
    expect((await far.next()).type).toBe('get-pending-requests')
    // A restored server may count from a lower number.
    far.say(snapshot(2))
    await becomes('live')
  })

  it('passes each answer to a context on to its owner', async () => {
    const answers: (string | undefined)[] = []
    hold()
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, (refused) =>
      answers.push(refused?.code),
    )
    const first = await far.nextOf('set-crew-member-context')
    far.say({ type: 'error', ref: first.ref, code: 'pin_required', message: 'Please enter your PIN' })
    await vi.waitFor(() => expect(answers).toEqual(['pin_required']))
    await far.stop()
    await far.start()
    await far.ack('set-crew-member-context')
    await vi.waitFor(() => expect(answers).toEqual(['pin_required', undefined]))
  })
})

describe('a message', () => {
  it('is answered by what carries its ref', async () => {
    follow()
    hold()
    await far.nextOf('get-pending-requests')
    const [first, second] = [
      live.request({ type: 'accept-request', id: 'a' }),
      live.request({ type: 'complete-request', id: 'b' }),
    ]
    const [accept, complete] = [await far.next(), await far.next()]
    far.say({ type: 'error', ref: complete.ref, code: 'not_found', message: 'Request not found' })
    far.say({ type: 'ack', ref: accept.ref })
    await expect(second).rejects.toEqual(new LiveError('not_found', 'Request not found'))
    expect(await first).toEqual({ type: 'ack', ref: accept.ref })
  })

  it('of the crew is sent until it is answered: no tap is lost', async () => {
    hold()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    const first = await far.nextOf('complete-request')
    await far.stop()
    const another = live.request({ type: 'accept-request', id: 'b' })
    await far.start()
    const again = await far.next()
    expect(again).toEqual(first)
    far.say({ type: 'ack', ref: again.ref })
    await far.ack('accept-request')
    await Promise.all([tap, another])
  })

  it('is sent under the name of whoever tapped, even if another name is chosen meanwhile', async () => {
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' })
    const mayas = [
      live.request({ type: 'start-break', coverId: null }),
      live.request({ type: 'accept-request', id: 'a' }),
    ]
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'leo' })
    const leos = live.request({ type: 'accept-request', id: 'b' })
    hold()
    const said: ClientMessageInput[] = []
    while (said.length < 6) said.push(await far.next())
    expect(said).toMatchObject([
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'set-crew-member-context', crewMemberId: 'maya' },
      { type: 'start-break' },
      { type: 'accept-request', id: 'a' },
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'accept-request', id: 'b' },
    ])
    for (const { ref } of said) far.say({ type: 'ack', ref })
    await Promise.all([...mayas, leos])
  })

  it('that is not idempotent fails when the connection is lost', async () => {
    hold()
    live.setContext({ type: 'listening', sound: false, push: false })
    await far.next()
    const asked = live.request({ type: 'service-request', tableNumber: '4' })
    await far.nextOf('service-request')
    await Promise.all([expect(asked).rejects.toMatchObject({ code: 'unavailable' }), far.stop()])
    await expect(live.request({ type: 'service-request', tableNumber: '4' })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('of the crew is sent again while the server has no data, and so is its sender', async () => {
    stopTime()
    const answered = vi.fn()
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, answered)
    hold()
    const tap = live.request({ type: 'accept-request', id: 'a' })
    for (const type of ['set-crew-member-context', 'accept-request'] as const) {
      const { ref } = await far.nextOf(type)
      far.say({ type: 'error', code: 'unavailable', message: 'Please try again', ref })
    }
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(3))
    await vi.advanceTimersByTimeAsync(1_000)
    await far.ack('accept-request')
    await tap
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(5_000)
    await far.ack('set-crew-member-context')
    await vi.waitFor(() => expect(answered).toHaveBeenCalledExactlyOnceWith(null))
  })

  it('that was never sent can be cancelled, one that may have been cannot', async () => {
    void live.request({ type: 'complete-request', id: 'a' })
    void live.request({ type: 'accept-request', id: 'b' })
    expect(live.cancelUnsent('complete-request', 'a')).toBe(true)
    hold()
    await far.ack('accept-request')
    const sent = live.request({ type: 'complete-request', id: 'c' })
    const { ref, ...message } = await far.next()
    expect(message).toEqual({ type: 'complete-request', id: 'c' })
    expect(live.cancelUnsent('complete-request', 'c')).toBe(false)
    far.say({ type: 'ack', ref })
    await sent
  })

  it('waits in line: the server limits messages per second', async () => {
    const taps = Array.from({ length: 12 }, (_, at) =>
      live.request({ type: 'complete-request', id: `r${at}` }),
    )
    stopTime()
    hold()
    for (let at = 0; at < 10; at += 1) await far.ack('complete-request')
    await Promise.all(taps.slice(0, 10))
    const eleventh = vi.fn()
    void taps[10]?.then(eleventh)
    await vi.advanceTimersByTimeAsync(1000)
    await far.ack('complete-request')
    await far.ack('complete-request')
    await Promise.all(taps)
    expect(eleventh).toHaveBeenCalledOnce()
  })

  it('keeps the channel open until it is answered, even when the screen is left', async () => {
    const release = live.acquire()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    release()
    await far.ack('complete-request')
    await tap
  })

  it('that is a hint is dropped and logged when the channel is closed', () => {
    expectConsoleError(/Not sent, the live channel is closed: ping/)
    expect(live.send({ type: 'ping' })).toBe(false)
  })
})

describe('the stream', () => {
  it('requests the snapshot again when a message is missing', async () => {
    const heard: (number | undefined)[] = []
    live.onMessage((message) => heard.push(message.seq))
    follow()
    hold()
    await far.nextOf('get-pending-requests')
    far.say(snapshot(3))
    far.say({ type: 'request-completed', seq: 3, id: 'a', by: null })
    far.say({ type: 'request-completed', seq: 4, id: 'a', by: null })
    far.say({ type: 'request-completed', seq: 6, id: 'b', by: null })
    await far.nextOf('get-pending-requests')
    far.say(snapshot(6))
    await vi.waitFor(() => expect(heard).toEqual([3, 4, 6]))
  })

  it('counts every message of the staff stream, so that a muted table is no gap', async () => {
    const heard: (number | undefined)[] = []
    live.onMessage((message) => heard.push(message.seq))
    follow()
    hold()
    await far.nextOf('get-pending-requests')
    far.say(snapshot(3))
    far.say({ type: 'muted-tables', seq: 4, tables: [] })
    far.say({ type: 'request-completed', seq: 5, id: 'a', by: null })
    await vi.waitFor(() => expect(heard).toEqual([3, 4, 5]))
  })

  it('ignores and logs what it does not understand', async () => {
    expectConsoleError(/Live message not understood: not json/)
    expectConsoleError(/Live message not understood: {"type":"unheard-of"}/)
    follow()
    hold()
    await far.nextOf('get-pending-requests')
    far.say('not json')
    far.say('{"type":"unheard-of"}')
    far.say(snapshot(0))
    await becomes('live')
  })
})

describe('a connection that died unnoticed', () => {
  it('is detected by an unanswered ping, and replaced', async () => {
    stopTime()
    await goLive()
    await vi.advanceTimersByTimeAsync(15_000)
    await far.ack('ping')
    await vi.waitFor(() => expect(live.connection.state).toBe('live'))
    await vi.advanceTimersByTimeAsync(15_000)
    await far.nextOf('ping')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(live.connection.state).toBe('reconnecting')
    await far.nextOf('get-pending-requests')
    far.say(snapshot(0))
    await becomes('live')
    expect(far.opened).toBe(2)
  })

  it('is not live after the tablet wakes up until the server has answered', async () => {
    stopTime()
    await goLive()
    vi.setSystemTime(Date.now() + 3_600_000)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(live.connection.state).toBe('reconnecting')
    await far.ack('ping')
    await becomes('live')
    expect(far.opened).toBe(1)
  })

  it.each(['online', 'pageshow'])('is replaced at once on "%s"', async (wakeUp) => {
    stopTime()
    hold()
    live.setContext({ type: 'listening', sound: false, push: false })
    await far.nextOf('listening')
    const lost = becomes('reconnecting')
    await far.stop()
    await lost
    await far.start()
    window.dispatchEvent(new Event(wakeUp))
    await far.nextOf('listening')
  })
})

describe('a session that ended', () => {
  it('stops the channel and is reported as signed out', async () => {
    follow()
    hold()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    await far.nextOf('get-pending-requests')
    far.hangUp(closeCodes.signedOut)
    await Promise.all([becomes('signed-out'), expect(tap).rejects.toMatchObject({ code: 'unauthenticated' })])
    window.dispatchEvent(new Event('online'))
    expect(far.opened).toBe(1)
  })

  it('is also noticed when the new connection does not belong to the staff', async () => {
    follow()
    hold()
    const asked = await far.nextOf('get-pending-requests')
    far.say({ type: 'error', ref: asked.ref, code: 'forbidden', message: 'Not allowed' })
    await becomes('signed-out')
  })
})

it('gives a screen its state and the true state of the connection', async () => {
  function Count(): JSX.Element {
    const count = useLiveState((sum: number, { type }) => (type === 'new-request' ? sum + 1 : 0), 0)
    return (
      <p>
        {count} {useConnection().state}
      </p>
    )
  }
  render(
    <LiveContext value={live}>
      <Count />
    </LiveContext>,
  )
  expect(screen.getByText('0 reconnecting')).toBeTruthy()
  await far.nextOf('get-pending-requests')
  await act(async () => {
    far.say(snapshot(0))
    await becomes('live')
  })
  expect(screen.getByText('0 live')).toBeTruthy()
})
