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

/** A server that sends and does only what a test tells it to. */
class FakeServer {
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

  send(message: ServerMessage | string): void {
    this.#sockets.at(-1)?.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async ack(type: ClientMessageInput['type']): Promise<void> {
    this.send({ type: 'ack', ref: (await this.nextOf(type)).ref })
  }

  close(code: number): void {
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

let server: FakeServer
let live: LiveChannel
let releases: (() => void)[]

beforeEach(async () => {
  stubBrowserWebSocket()
  server = new FakeServer()
  await server.start()
  live = new LiveChannel({ url: () => server.url, isMessage })
  releases = []
})

afterEach(async () => {
  for (const release of releases) release()
  await server.stop()
})

const acquire = (): void => void releases.push(live.acquire())
const subscribe = (): void => void releases.push(live.subscribe('requests'))

async function waitForState(state: string): Promise<void> {
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
async function connect(sequence = 0): Promise<void> {
  subscribe()
  acquire()
  await server.nextOf('get-pending-requests')
  server.send(snapshot(sequence))
  await waitForState('live')
}

/** Time stands still except when a test advances it; the network goes on. */
const freezeTime = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })

/** The sequence numbers of the messages from now on. */
function recordSequences(): (number | undefined)[] {
  const sequences: (number | undefined)[] = []
  live.onMessage(({ seq }) => sequences.push(seq))
  return sequences
}

describe('on every connection', () => {
  it('sends its contexts before its requests, and is live only once the snapshot has arrived', async () => {
    live.setContext({ type: 'listening', sound: true, push: false })
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya', pin: '1234' })
    live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    subscribe()
    acquire()
    const received = [await server.next(), await server.next(), await server.next(), await server.next()]
    expect(received.map(({ type }) => type)).toEqual([
      'set-restaurant-context',
      'set-crew-member-context',
      'listening',
      'get-pending-requests',
    ])
    expect(received[1]).toMatchObject({ crewMemberId: 'maya', pin: '1234' })
    expect(live.connection.state).toBe('reconnecting')
    server.send(snapshot(0))
    await waitForState('live')
  })

  it('reconnects by itself after an outage, and sends everything again', async () => {
    live.setContext({ type: 'set-restaurant-context', restaurantId: 'Blue Door' })
    await connect(7)
    await server.stop()
    await waitForState('reconnecting')
    expect(live.connection).toEqual({ state: 'reconnecting', lastMessageAt: expect.any(Number) })
    await server.start()
    expect((await server.next()).type).toBe('set-restaurant-context')
    expect((await server.next()).type).toBe('get-pending-requests')
    // A restored server may count from a lower number.
    server.send(snapshot(2))
    await waitForState('live')
  })

  it('passes each answer to a context on to its owner', async () => {
    const answers: (string | undefined)[] = []
    acquire()
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, (refused) =>
      answers.push(refused?.code),
    )
    const first = await server.nextOf('set-crew-member-context')
    server.send({ type: 'error', ref: first.ref, code: 'pin_required', message: 'Please enter your PIN' })
    await vi.waitFor(() => expect(answers).toEqual(['pin_required']))
    await server.stop()
    await server.start()
    await server.ack('set-crew-member-context')
    await vi.waitFor(() => expect(answers).toEqual(['pin_required', undefined]))
  })
})

describe('a message', () => {
  it('is answered by the message with its ref', async () => {
    subscribe()
    acquire()
    await server.nextOf('get-pending-requests')
    const [first, second] = [
      live.request({ type: 'accept-request', id: 'a' }),
      live.request({ type: 'complete-request', id: 'b' }),
    ]
    const [accept, complete] = [await server.next(), await server.next()]
    server.send({ type: 'error', ref: complete.ref, code: 'not_found', message: 'Request not found' })
    server.send({ type: 'ack', ref: accept.ref })
    await expect(second).rejects.toEqual(new LiveError('not_found', 'Request not found'))
    expect(await first).toEqual({ type: 'ack', ref: accept.ref })
  })

  it('of the crew is resent until it is answered, so no tap is lost', async () => {
    acquire()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    const first = await server.nextOf('complete-request')
    await server.stop()
    const another = live.request({ type: 'accept-request', id: 'b' })
    await server.start()
    const again = await server.next()
    expect(again).toEqual(first)
    server.send({ type: 'ack', ref: again.ref })
    await server.ack('accept-request')
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
    acquire()
    const received: ClientMessageInput[] = []
    while (received.length < 6) received.push(await server.next())
    expect(received).toMatchObject([
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'set-crew-member-context', crewMemberId: 'maya' },
      { type: 'start-break' },
      { type: 'accept-request', id: 'a' },
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'accept-request', id: 'b' },
    ])
    for (const { ref } of received) server.send({ type: 'ack', ref })
    await Promise.all([...mayas, leos])
  })

  it('that is not idempotent fails when the connection is lost', async () => {
    acquire()
    live.setContext({ type: 'listening', sound: false, push: false })
    await server.next()
    const pending = live.request({ type: 'service-request', tableNumber: '4' })
    await server.nextOf('service-request')
    await Promise.all([expect(pending).rejects.toMatchObject({ code: 'unavailable' }), server.stop()])
    await expect(live.request({ type: 'service-request', tableNumber: '4' })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('of the crew is resent while the server is unavailable, and so is its sender', async () => {
    freezeTime()
    const answered = vi.fn()
    live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, answered)
    acquire()
    const tap = live.request({ type: 'accept-request', id: 'a' })
    for (const type of ['set-crew-member-context', 'accept-request'] as const) {
      const { ref } = await server.nextOf(type)
      server.send({ type: 'error', code: 'unavailable', message: 'Please try again', ref })
    }
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(3))
    await vi.advanceTimersByTimeAsync(1_000)
    await server.ack('accept-request')
    await tap
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(5_000)
    await server.ack('set-crew-member-context')
    await vi.waitFor(() => expect(answered).toHaveBeenCalledExactlyOnceWith(null))
  })

  it('that was never sent can be cancelled, one that may have been cannot', async () => {
    void live.request({ type: 'complete-request', id: 'a' })
    void live.request({ type: 'accept-request', id: 'b' })
    expect(live.cancelUnsent('complete-request', 'a')).toBe(true)
    acquire()
    await server.ack('accept-request')
    const sent = live.request({ type: 'complete-request', id: 'c' })
    const { ref, ...message } = await server.next()
    expect(message).toEqual({ type: 'complete-request', id: 'c' })
    expect(live.cancelUnsent('complete-request', 'c')).toBe(false)
    server.send({ type: 'ack', ref })
    await sent
  })

  it('is queued, because the server limits messages per second', async () => {
    const taps = Array.from({ length: 12 }, (_, at) =>
      live.request({ type: 'complete-request', id: `r${at}` }),
    )
    freezeTime()
    acquire()
    for (let at = 0; at < 10; at += 1) await server.ack('complete-request')
    await Promise.all(taps.slice(0, 10))
    const eleventh = vi.fn()
    void taps[10]?.then(eleventh)
    await vi.advanceTimersByTimeAsync(1000)
    await server.ack('complete-request')
    await server.ack('complete-request')
    await Promise.all(taps)
    expect(eleventh).toHaveBeenCalledOnce()
  })

  it('keeps the channel open until it is answered, even when the screen is left', async () => {
    const release = live.acquire()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    release()
    await server.ack('complete-request')
    await tap
  })

  it('that needs no answer is dropped and logged when the channel is closed', () => {
    expectConsoleError(/Not sent, the live channel is closed: ping/)
    expect(live.send({ type: 'ping' })).toBe(false)
  })
})

describe('the stream', () => {
  it('requests the snapshot again when a message is missing', async () => {
    const sequences = recordSequences()
    await connect(3)
    server.send({ type: 'request-completed', seq: 3, id: 'a', by: null })
    server.send({ type: 'request-completed', seq: 4, id: 'a', by: null })
    server.send({ type: 'request-completed', seq: 6, id: 'b', by: null })
    await server.nextOf('get-pending-requests')
    server.send(snapshot(6))
    await vi.waitFor(() => expect(sequences).toEqual([3, 4, 6]))
  })

  it('counts every message of the staff stream, so that a muted table leaves no gap', async () => {
    const sequences = recordSequences()
    await connect(3)
    server.send({ type: 'muted-tables', seq: 4, tables: [] })
    server.send({ type: 'request-completed', seq: 5, id: 'a', by: null })
    await vi.waitFor(() => expect(sequences).toEqual([3, 4, 5]))
  })

  it('ignores and logs what it does not understand', async () => {
    expectConsoleError(/Live message not understood: not json/)
    expectConsoleError(/Live message not understood: {"type":"unheard-of"}/)
    subscribe()
    acquire()
    await server.nextOf('get-pending-requests')
    server.send('not json')
    server.send('{"type":"unheard-of"}')
    server.send(snapshot(0))
    await waitForState('live')
  })
})

describe('a connection that died unnoticed', () => {
  it('is detected by an unanswered ping, and replaced', async () => {
    freezeTime()
    await connect()
    await vi.advanceTimersByTimeAsync(15_000)
    await server.ack('ping')
    await vi.waitFor(() => expect(live.connection.state).toBe('live'))
    await vi.advanceTimersByTimeAsync(15_000)
    await server.nextOf('ping')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(live.connection.state).toBe('reconnecting')
    await server.nextOf('get-pending-requests')
    server.send(snapshot(0))
    await waitForState('live')
    expect(server.opened).toBe(2)
  })

  it('is not live after the tablet wakes up until the server has answered', async () => {
    freezeTime()
    await connect()
    vi.setSystemTime(Date.now() + 3_600_000)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(live.connection.state).toBe('reconnecting')
    await server.ack('ping')
    await waitForState('live')
    expect(server.opened).toBe(1)
  })

  it.each(['online', 'pageshow'])('is replaced at once on "%s"', async (wakeUp) => {
    freezeTime()
    acquire()
    live.setContext({ type: 'listening', sound: false, push: false })
    await server.nextOf('listening')
    const lost = waitForState('reconnecting')
    await server.stop()
    await lost
    await server.start()
    window.dispatchEvent(new Event(wakeUp))
    await server.nextOf('listening')
  })
})

describe('a session that ended', () => {
  it('stops the channel and is reported as signed out', async () => {
    subscribe()
    acquire()
    const tap = live.request({ type: 'complete-request', id: 'a' })
    await server.nextOf('get-pending-requests')
    server.close(closeCodes.signedOut)
    await Promise.all([
      waitForState('signed-out'),
      expect(tap).rejects.toMatchObject({ code: 'unauthenticated' }),
    ])
    window.dispatchEvent(new Event('online'))
    expect(server.opened).toBe(1)
  })

  it('is also noticed when the new connection does not belong to the staff', async () => {
    subscribe()
    acquire()
    const pending = await server.nextOf('get-pending-requests')
    server.send({ type: 'error', ref: pending.ref, code: 'forbidden', message: 'Not allowed' })
    await waitForState('signed-out')
  })
})

it('provides a screen with its state and the state of the connection', async () => {
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
  await server.nextOf('get-pending-requests')
  await act(async () => {
    server.send(snapshot(0))
    await waitForState('live')
  })
  expect(screen.getByText('0 live')).toBeTruthy()
})
