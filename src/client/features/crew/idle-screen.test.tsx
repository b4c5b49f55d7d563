// @vitest-environment jsdom
import { act, screen } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { dayMs, minuteMs } from '#contract/durations.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import { QuietSocket } from '../../../../test/support/pages/jsdom-socket.ts'
import { device, loadCrewScreens, openStaffApp } from '../../../../test/support/pages/staff-app.tsx'

const maya = { id: 'maya', name: 'Maya', role: 'Server' }

/** Has the list of messages, too: there are none. */
class ShiftSocket extends QuietSocket {
  override send(text: string): void {
    super.send(text)
    const message: ClientMessageInput = JSON.parse(text)
    const messages = message.type === 'resume' ? message.messages : [message]
    if (messages.some(({ type }) => type === 'get-team-messages'))
      this.receive({ type: 'team-messages-history', seq: 0, messages: [] })
  }
}

beforeAll(loadCrewScreens)

const pingMs = 15_000
const pings = 40
/** Every minute. A frame later a timer of jsdom's own looks what has changed on the page. */
const clock = 2 * 10
const jsdomFrameMs = 1000 / 60

it.each([
  ['the crew’s screen', '/waiter', 'Maya, Server', pings],
  ['the wall display, but for its clock', '/waiter?display', 'The Copper Pot', pings + clock],
])(
  'wakes only for its pings in ten minutes in which nothing changes: %s',
  async (_, path, text, expected) => {
    // No ping falls on a full minute.
    const now = new Date(2026, 10, 27, 17, 0, 7)
    vi.useFakeTimers({
      now,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    })
    sessionStorage.setItem('restaurantId', 'The Copper Pot')
    localStorage.setItem('crew-member-id', maya.id)
    const intervals = vi.spyOn(globalThis, 'setInterval')
    const doneToday = { done: 0, medianResponseMs: null, until: now.getTime() + dayMs }
    openStaffApp(
      path,
      {
        ...device,
        'GET /api/crew-by-restaurant': [200, [maya]],
        'GET /api/tables-by-restaurant': [200, []],
        'GET /api/crew-assignments': [200, []],
        'GET /api/analytics/done-today': [200, doneToday],
      },
      undefined,
      ShiftSocket,
    )
    const frames = vi.spyOn(globalThis, 'requestAnimationFrame')
    const tenMinutes = async () => {
      const isOpen = screen.queryAllByText(text).length > 0
      frames.mockClear()
      const end = Date.now() + 10 * minuteMs
      let wakeUps = 0
      // None is set as long as nothing has been loaded.
      while (Date.now() < end && vi.getTimerCount() > 0) {
        await act(() => vi.advanceTimersToNextTimerAsync())
        if (Date.now() <= end) wakeUps += 1
      }
      return { isOpen, wakeUps, frames: frames.mock.calls.length }
    }
    // What opens the screen comes first: its lists, and what it keeps of them.
    await expect.poll(tenMinutes).toEqual({ isOpen: true, wakeUps: expected, frames: 0 })
    // Another one could wake the page just when a ping does.
    const delays = intervals.mock.calls.map(([, ms]) => ms)
    expect(delays.filter((ms) => ms !== jsdomFrameMs)).toEqual([pingMs])
  },
)
