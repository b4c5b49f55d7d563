// @vitest-environment jsdom
import { act, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { hourMs } from '#contract/durations.ts'
import { QuietSocket } from '../../../../test/support/pages/jsdom-socket.ts'
import { LiveChannel } from '../../api/live/live-channel.ts'
import { LiveContext } from '../../api/live/use-live.ts'
import { compareClocks, serverNow, toServerTime } from '../../lib/server-clock.ts'
import { TimeText } from '../../ui/requests/time-text.tsx'
import { ClockCheck } from './device/clock-check.ts'
import { useIsBefore } from './heat.ts'

/** As the header of an answer says it, while the server's clock is ahead of the device's. */
const answerFrom = (aheadMs: number): void =>
  act(() => compareClocks(new Date(Date.now() + aheadMs).toUTCString()))

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-24T12:00:00Z') }))
afterEach(() => answerFrom(0))

it('goes by the clock of the device as long as the two agree, and by no answer without a time', () => {
  for (const aheadMs of [0, 20_000, -20_000]) {
    answerFrom(aheadMs)
    expect(serverNow()).toBe(Date.now())
  }
  for (const date of [null, '', 'soon']) compareClocks(date)
  expect(serverNow()).toBe(Date.now())
})

it.each([hourMs, -hourMs])('goes by the server’s clock where they differ by %d ms', (aheadMs) => {
  answerFrom(aheadMs)
  expect(serverNow()).toBe(Date.now() + aheadMs)
  expect(toServerTime(5)).toBe(5 + aheadMs)
  // What the network and the seconds of the header make of it changes nothing.
  answerFrom(aheadMs + 2_000)
  expect(serverNow()).toBe(Date.now() + aheadMs)
  // Somebody has set the clock of the device.
  answerFrom(1_000)
  expect(serverNow()).toBe(Date.now())
})

it('corrects what is shown already', () => {
  const asked = Date.now() - 5_000
  render(<TimeText at={asked} />)
  const { result } = renderHook(() => useIsBefore(asked + 10_000))
  expect(screen.getByText('5s ago')).toBeTruthy()
  expect(result.current).toBe(true)
  answerFrom(hourMs)
  expect(screen.getByText('1h ago')).toBeTruthy()
  expect(result.current).toBe(false)
  answerFrom(0)
  expect(screen.getByText('5s ago')).toBeTruthy()
  expect(result.current).toBe(true)
})

it.each([-hourMs, hourMs])(
  'is asked for once, soon after the device’s clock was set by %d ms, and not before',
  async (setMs) => {
    const [startedAt, steady] = [serverNow(), performance.now()]
    const trueTime = (): number => startedAt + performance.now() - steady
    const ask = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(
        async () => new Response(null, { headers: { date: new Date(trueTime()).toUTCString() } }),
      )
    vi.stubGlobal('WebSocket', QuietSocket)
    onTestFinished(() => void vi.unstubAllGlobals())
    render(
      <LiveContext value={new LiveChannel()}>
        <ClockCheck />
        <TimeText at={startedAt - 5_000} />
      </LiveContext>,
    )
    await act(() => vi.advanceTimersByTimeAsync(30_000))
    expect(ask).not.toHaveBeenCalled()
    vi.setSystemTime(Date.now() + setMs)
    await act(() => vi.advanceTimersByTimeAsync(20_000))
    expect(ask).toHaveBeenCalledOnce()
    expect(serverNow()).toBe(trueTime())
    expect(screen.getByText('55s ago')).toBeTruthy()
  },
)

it('is waited for until later when the server’s clock turns out to be behind', () => {
  const moment = serverNow() + 10_000
  const { result } = renderHook(() => useIsBefore(moment))
  answerFrom(-hourMs)
  act(() => void vi.advanceTimersByTime(10_000))
  expect(result.current).toBe(true)
  act(() => void vi.advanceTimersByTime(hourMs))
  expect(result.current).toBe(false)
})

it.each([-hourMs, hourMs])(
  'comes as soon as it would have when the device’s clock is set by %d ms',
  (setMs) => {
    const moment = serverNow() + 10_000
    const { result } = renderHook(() => useIsBefore(moment))
    vi.setSystemTime(Date.now() + setMs)
    act(() => void vi.advanceTimersByTime(9_000))
    expect(result.current).toBe(true)
    act(() => void vi.advanceTimersByTime(1_000))
    expect(result.current).toBe(false)
  },
)
