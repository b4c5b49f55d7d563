// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { RoleCall } from '#contract/crew/shift.ts'
import { type ClientMessageInput, closeCodes } from '#contract/live.ts'
import { expectConsoleError } from '../../../../test/support/console.ts'
import { freezeTime, setUpLivePage, snapshot } from '../../../../test/support/pages/live-page.ts'
import { type KeptList, LiveError } from './live-channel.ts'
import { LiveContext, useConnection, useLiveState } from './use-live.ts'

const page = setUpLivePage()

describe('a message', () => {
  it('is answered by the message with its ref', async () => {
    page.subscribe()
    page.acquire()
    await page.server.nextOf('get-pending-requests')
    const [first, second] = [
      page.live.request({ type: 'accept-request', id: 'a' }),
      page.live.request({ type: 'complete-request', id: 'b' }),
    ]
    const [accept, complete] = [await page.server.next(), await page.server.next()]
    page.server.send({ type: 'error', ref: complete.ref, code: 'not_found', message: 'Request not found' })
    page.server.send({ type: 'ack', ref: accept.ref })
    await expect(second).rejects.toEqual(new LiveError('not_found', 'Request not found'))
    expect(await first).toEqual({ type: 'ack', ref: accept.ref })
  })

  it('fails when its answer lacks what every reply to it has', async () => {
    page.acquire()
    page.subscribe()
    await page.server.nextOf('get-pending-requests')
    const called = page.live.request({ type: 'claim-role-message', id: 'a' })
    await page.server.ack('claim-role-message')
    await expect(called).rejects.toMatchObject({ code: 'internal' })
    expectTypeOf(called).resolves.toEqualTypeOf<{ call: RoleCall }>()
  })

  it('of the crew is resent until it is answered, so no tap is lost', async () => {
    page.acquire()
    const tap = page.live.request({ type: 'complete-request', id: 'a' })
    const first = await page.server.nextOf('complete-request')
    await page.server.stop()
    const another = page.live.request({ type: 'accept-request', id: 'b' })
    await page.server.start()
    const again = await page.server.next()
    expect(again).toEqual(first)
    page.server.send({ type: 'ack', ref: again.ref })
    await page.server.ack('accept-request')
    await Promise.all([tap, another])
  })

  it('is sent under the name of whoever tapped, even if another name is chosen meanwhile', async () => {
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' })
    const mayas = [
      page.live.request({ type: 'start-break', coverId: null }),
      page.live.request({ type: 'accept-request', id: 'a' }),
    ]
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'leo' })
    const leos = page.live.request({ type: 'accept-request', id: 'b' })
    page.acquire()
    const received: ClientMessageInput[] = []
    while (received.length < 6) received.push(await page.server.next())
    expect(received).toMatchObject([
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'set-crew-member-context', crewMemberId: 'maya' },
      { type: 'start-break' },
      { type: 'accept-request', id: 'a' },
      { type: 'set-crew-member-context', crewMemberId: 'leo' },
      { type: 'accept-request', id: 'b' },
    ])
    for (const { ref } of received) page.server.send({ type: 'ack', ref })
    await Promise.all([...mayas, leos])
  })

  it('that is not idempotent fails when the connection is lost', async () => {
    page.acquire()
    page.live.setContext({ type: 'listening', sound: false, push: false })
    await page.server.next()
    const pending = page.live.request({ type: 'service-request', tableNumber: '4' })
    await page.server.nextOf('service-request')
    await Promise.all([expect(pending).rejects.toMatchObject({ code: 'unavailable' }), page.server.stop()])
    await expect(page.live.request({ type: 'service-request', tableNumber: '4' })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('of the crew is resent while the server is unavailable, and so is its sender', async () => {
    freezeTime()
    const answered = vi.fn()
    page.live.setContext({ type: 'set-crew-member-context', crewMemberId: 'maya' }, answered)
    page.acquire()
    const tap = page.live.request({ type: 'accept-request', id: 'a' })
    for (const type of ['set-crew-member-context', 'accept-request'] as const) {
      const { ref } = await page.server.nextOf(type)
      page.server.send({ type: 'error', code: 'unavailable', message: 'Please try again', ref })
    }
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(3)
    await vi.advanceTimersByTimeAsync(1_000)
    await page.server.ack('accept-request')
    await tap
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(5_000)
    await page.server.ack('set-crew-member-context')
    await expect.poll(() => answered.mock.calls).toEqual([[null]])
  })

  it('that was never sent can be cancelled, one that may have been cannot', async () => {
    void page.live.request({ type: 'complete-request', id: 'a' })
    void page.live.request({ type: 'accept-request', id: 'b' })
    expect(page.live.cancelUnsent('complete-request', 'a')).toBe(true)
    page.acquire()
    await page.server.ack('accept-request')
    const sent = page.live.request({ type: 'complete-request', id: 'c' })
    const { ref, ...message } = await page.server.next()
    expect(message).toEqual({ type: 'complete-request', id: 'c' })
    expect(page.live.cancelUnsent('complete-request', 'c')).toBe(false)
    page.server.send({ type: 'ack', ref })
    await sent
  })

  it('is queued, because the server limits messages per second', async () => {
    const taps = Array.from({ length: 12 }, (_, at) =>
      page.live.request({ type: 'complete-request', id: `r${at}` }),
    )
    freezeTime()
    page.acquire()
    for (let at = 0; at < 10; at += 1) await page.server.ack('complete-request')
    await Promise.all(taps.slice(0, 10))
    const eleventh = vi.fn()
    void taps[10]?.then(eleventh)
    await vi.advanceTimersByTimeAsync(1000)
    await page.server.ack('complete-request')
    await page.server.ack('complete-request')
    await Promise.all(taps)
    expect(eleventh).toHaveBeenCalledOnce()
  })

  it('keeps the channel open until it is answered, even when the screen is left', async () => {
    const release = page.live.acquire()
    const tap = page.live.request({ type: 'complete-request', id: 'a' })
    release()
    await page.server.ack('complete-request')
    await tap
  })

  it('that needs no answer is dropped and logged when the channel is closed', () => {
    expectConsoleError(/Not sent, the live channel is closed: ping/)
    expect(page.live.send({ type: 'ping' })).toBe(false)
  })
})

describe('the stream', () => {
  it('requests the snapshot again when a message is missing', async () => {
    const sequences = page.recordSequences()
    await page.connect(3)
    page.server.send({ type: 'request-completed', seq: 3, id: 'a', by: null })
    page.server.send({ type: 'request-completed', seq: 4, id: 'a', by: null })
    page.server.send({ type: 'request-completed', seq: 6, id: 'b', by: null })
    await page.server.nextOf('get-pending-requests')
    page.server.send(snapshot(6))
    await expect.poll(() => sequences).toEqual([3, 4, 6])
  })

  it('counts every message of the staff stream, so that a muted table leaves no gap', async () => {
    const sequences = page.recordSequences()
    await page.connect(3)
    page.server.send({ type: 'muted-tables', seq: 4, tables: [] })
    page.server.send({ type: 'request-completed', seq: 5, id: 'a', by: null })
    await expect.poll(() => sequences).toEqual([3, 4, 5])
  })

  it('tells a list that says nothing new from one that may', async () => {
    await page.connect(7)
    const told: [number | undefined, boolean | undefined][] = []
    page.live.onMessage(({ seq }, isKnown) => told.push([seq, isKnown]))
    // As what is shown later does.
    page.subscribe()
    await page.receiveSnapshot(7)
    await expect.poll(() => told).toEqual([[7, true]])
    page.subscribe()
    await page.receiveSnapshot(9)
    await expect.poll(() => told.slice(1)).toEqual([[9, false]])
    await page.loseServer()
    await page.server.start()
    await page.receiveSnapshot(9)
    await expect.poll(() => told.slice(2)).toEqual([[9, false]])
  })

  it('ignores and logs what it does not understand', async () => {
    expectConsoleError(/Live message not understood: not json/)
    expectConsoleError(/Live message not understood: {"type":"unheard-of"}/)
    page.subscribe()
    page.acquire()
    await page.server.nextOf('get-pending-requests')
    page.server.send('not json')
    page.server.send('{"type":"unheard-of"}')
    page.server.send(snapshot(0))
    await page.waitForState('live')
  })
})

describe('a page of an earlier version than its server', () => {
  it('learns that it is outdated from what it cannot read, but not from a type that it does not know', async () => {
    expectConsoleError(/Live message not understood: {"type":"unheard-of"/)
    expectConsoleError(/Live message not understood: {"type":"new-request"/)
    const onOutdated = vi.fn()
    page.open({ onOutdated })
    await page.connect(3)
    page.server.send('{"type":"unheard-of","seq":4}')
    page.server.send({ type: 'request-completed', seq: 5, id: 'a', by: null })
    await page.server.nextOf('get-pending-requests')
    page.server.send(snapshot(5))
    expect(onOutdated).not.toHaveBeenCalled()
    page.server.send('{"type":"new-request","seq":6,"request":{"serviceType":"unheard-of"}}')
    await expect.poll(() => onOutdated.mock.calls.length).toBe(1)
  })
})

describe('a session that ended', () => {
  it('stops the channel and is reported as signed out', async () => {
    page.subscribe()
    page.acquire()
    const tap = page.live.request({ type: 'complete-request', id: 'a' })
    await page.server.nextOf('get-pending-requests')
    page.server.close(closeCodes.signedOut)
    await Promise.all([
      page.waitForState('signed-out'),
      expect(tap).rejects.toMatchObject({ code: 'unauthenticated' }),
    ])
    window.dispatchEvent(new Event('online'))
    expect(page.server.opened).toBe(1)
  })

  it('is also noticed when the new connection does not belong to the staff', async () => {
    page.subscribe()
    page.acquire()
    const pending = await page.server.nextOf('get-pending-requests')
    page.server.send({ type: 'error', ref: pending.ref, code: 'forbidden', message: 'Not allowed' })
    await page.waitForState('signed-out')
  })
})

const show = (part: JSX.Element) => render(<LiveContext value={page.live}>{part}</LiveContext>)

it('starts screens with the list that was kept, until the server has sent its own', async () => {
  const muted = [{ tableNumber: '4', until: null, by: { id: null, name: 'Crew' } }]
  const kept: KeptList = { message: { type: 'pending-requests', requests: [], recent: [], muted }, at: 5 }
  page.open({ kept })
  expect(page.live.connection).toEqual({ state: 'reconnecting', lastMessageAt: 5 })
  function Muted(): JSX.Element {
    const count = useLiveState(
      (_: number, message) => (message.type === 'pending-requests' ? (message.muted ?? []).length : 9),
      -1,
    )
    return <p>muted: {count}</p>
  }
  show(<Muted />)
  expect(screen.getByText('muted: 1')).toBeTruthy()
  await act(() => page.receiveSnapshot())
  expect(screen.getByText('muted: 0')).toBeTruthy()
  expect(page.live.kept).toBeNull()
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
  show(<Count />)
  expect(screen.getByText('0 reconnecting')).toBeTruthy()
  await act(() => page.receiveSnapshot())
  expect(screen.getByText('0 live')).toBeTruthy()
})
