// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OpeningHours } from '#contract/guests/opening.ts'
import { QuietSocket, UnreachableSocket } from '../../../../test/support/pages/jsdom-socket.ts'
import {
  type Answers,
  emptyOverview,
  openQuietStaffApp,
  openStaffApp,
  press,
  refusalAnswer,
  findTitle,
  toastText,
} from '../../../../test/support/pages/staff-app.tsx'
import { buildRequest } from '../../../../test/support/restaurants/service-request.ts'

const user = { restaurantName: 'The Copper Pot', managerUsername: 'sam' }

it('goes to the login when the session ends before the figures are loaded', async () => {
  const ended = Promise.withResolvers<void>()
  let calls = 0
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': async () => {
      if (++calls === 1) return [200, user]
      await ended.promise
      return refusalAnswer(401, 'Please sign in')
    },
  })
  await findTitle('Management Portal')
  ended.resolve()
  expect(await toastText()).toContain('Please log in to access management portal')
})

it('reports what could not be loaded, and retries', async () => {
  let calls = 0
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': () => (++calls === 1 ? [500, 'Out of order'] : emptyOverview),
    'GET /api/analytics': [500, 'Out of order'],
    'GET /api/qr-codes/me': [500, 'Out of order'],
    'GET /api/crew': [500, 'Out of order'],
  })
  await screen.findByText('The overview could not be loaded.')
  await screen.findByText('The figures could not be computed.')
  await screen.findByText('The QR code could not be loaded.')
  await screen.findByText('The floor could not be loaded.')
  const [retry] = screen.getAllByRole('button', { name: 'Try again' })
  retry?.click()
  await screen.findByText('0 today')
  await screen.findByText('No data yet')
})

it('loads the overview of today again when the connection is back', async () => {
  const [status, overview] = emptyOverview
  let calls = 0
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': () => [status, Object.assign({}, overview, { requestsToday: ++calls })],
  })
  // The first list may come before the first answer, which is then asked for again.
  const shown = (await screen.findByText(/^[12] today$/u)).textContent
  socket.lose()
  await waitFor(() => expect(screen.getByText(/^\d today$/u).textContent > shown).toBe(true))
})

it('does not say whether guests wait while the connection is lost, but how old what it shows is', async () => {
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
  })
  const today = within(await screen.findByRole('region', { name: 'Today' }))
  await today.findByRole('heading', { name: 'No guest waits for an answer' })
  await act(async () => socket.receive({ type: 'presence', listening: true, screens: 2 }))
  await today.findByText('2 screens are listening')
  vi.stubGlobal('WebSocket', UnreachableSocket)
  await act(async () => socket.lose())
  await today.findByRole('heading', { name: 'Connection lost' })
  await waitFor(() =>
    expect(screen.getByRole('region', { name: 'Today' }).textContent).toMatch(
      /Last heard \d+s ago\. New requests don’t show here\.$/u,
    ),
  )
  expect(today.queryByText('No active requests')).toBeNull()
  expect(today.queryByText('2 screens are listening')).toBeNull()
  vi.stubGlobal('WebSocket', QuietSocket)
  await today.findByRole('heading', { name: 'No guest waits for an answer' }, { timeout: 30_000 })
  await today.findByText('No active requests')
})

it('shows who joins the crew and gets a table while the page is open', async () => {
  const otto = { id: 'c9', name: 'Otto', role: 'Server' }
  const [crew, assignments]: [unknown[], unknown[]] = [[], []]
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
    'GET /api/crew': () => [200, [...crew]],
    'GET /api/tables': [200, [{ id: 't5', tableNumber: '5', category: 'table' }]],
    'GET /api/host-stand': [200, { id: 'stand', tableNumber: 'Host Stand', category: 'host stand' }],
    'GET /api/table-assignments-by-date': () => [200, [...assignments]],
  })
  const request = buildRequest({ id: 'r1', tableNumber: '5' })
  await act(async () => socket.receive({ type: 'new-request', seq: 1, request }))
  await screen.findByText('Nobody is assigned today')
  const today = screen.getByRole('region', { name: 'Today' })
  expect(today.textContent).toContain('nobody’s table, nobody on it')
  crew.push(otto)
  assignments.push({ tableId: 't5', crewMemberId: otto.id, date: '2026-11-20' })
  await act(async () => {
    socket.receive({ type: 'crew-changed', seq: 2 })
    socket.receive({ type: 'floor-changed', seq: 3 })
  })
  const floor = within(screen.getByRole('region', { name: 'On the floor' }))
  await floor.findByText('Otto', undefined, { timeout: 10_000 })
  await waitFor(() => expect(today.textContent).toContain('Otto’s table, nobody on it'))
})

it('alarms that nobody is listening by the opening hours as they are now', async () => {
  const onMondays = Array.from({ length: 7 }, (_, day) => (day === 0 ? [{ from: '11:00', to: '22:00' }] : []))
  let hours: OpeningHours | null = onMondays
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  let reads = 0
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
    'GET /api/opening': () => {
      reads++
      return [200, { hours, pauses: [], timeZone: 'UTC' }]
    },
  })
  await act(async () => socket.receive({ type: 'presence', listening: false, screens: 0 }))
  await waitFor(() => expect(reads).toBeGreaterThan(1))
  expect(screen.queryByText('Nobody is listening')).toBeNull()
  hours = null
  await act(async () => socket.receive({ type: 'opening-changed' }))
  await screen.findByText('Nobody is listening')
  hours = onMondays
  await act(async () => socket.receive({ type: 'opening-changed' }))
  await waitFor(() => expect(screen.queryByText('Nobody is listening')).toBeNull())
})

it('shows the new day from the midnight of the restaurant on', async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'setInterval', 'clearInterval'],
    now: new Date('2026-11-20T22:58:40Z'),
  })
  onTestFinished(() => void vi.useRealTimers())
  const [status, empty] = emptyOverview
  let day = { day: '2026-11-20', requestsToday: 24 }
  let reads = 0
  await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': () => {
      reads++
      return [status, { ...(empty as object), timeZone: 'Europe/Berlin', ...day }]
    },
  })
  await screen.findByText('24 today')
  const until = reads
  await act(async () => void vi.advanceTimersByTime(60_000))
  expect(reads).toBe(until)
  // The server's own clock is a moment behind.
  await act(async () => void vi.advanceTimersByTime(60_000))
  await expect.poll(() => reads).toBe(until + 1)
  day = { day: '2026-11-21', requestsToday: 0 }
  await act(async () => void vi.advanceTimersByTime(60_000))
  await screen.findByText('0 today')
  await screen.findByText(/to Nov 20, 2026$/u)
  const last = reads
  await act(async () => void vi.advanceTimersByTime(120_000))
  expect(reads).toBe(last)
})

it('calls a need of the restaurant by its name, and judges it by its own time', async () => {
  const [status, overview] = emptyOverview
  const chair = {
    id: 'chair',
    tableNumber: '7',
    serviceType: 'other',
    need: { id: 'high-chair', name: { en: 'High chair' }, icon: 'child', targetMs: 15 * 60_000 },
    timestamp: Date.parse('2026-11-20T12:00:00Z'),
    state: 'completed',
    asks: 1,
  }
  const latest = [
    { ...chair, responseMs: 16 * 60_000 },
    { ...chair, id: 'sooner', tableNumber: '8', responseMs: 10 * 60_000 },
  ]
  const today = { requestsToday: 300, openToday: 50, askedAgainToday: 7, latest }
  const times = { averageResponseMs: 60_000, medianResponseMs: 60_000, withinTarget: { within: 3, of: 4 } }
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': [status, { ...(overview as object), ...today, ...times }],
  })
  await screen.findByText('300 today')
  const openDetails = async (card: RegExp, facts: string, details: string): Promise<(string | null)[]> => {
    fireEvent.click(await screen.findByRole('button', { name: card }))
    const dialog = within(await screen.findByRole('dialog'))
    await waitFor(() =>
      expect(
        dialog
          .getAllByRole('definition')
          .map(({ textContent }) => textContent)
          .join(', '),
      ).toBe(facts),
    )
    fireEvent.click(dialog.getByRole('button', { name: details }))
    const rows = await dialog.findAllByRole('listitem')
    fireEvent.click(dialog.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    return rows.map(({ textContent }) => textContent)
  }
  expect(await openDetails(/^Total Requests/u, '300, 50, 7', "Today's requests")).toEqual([
    'Table 7 High chairDone12:00 PM',
    'Table 8 High chairDone12:00 PM',
  ])
  expect(await openDetails(/^Response Time/u, '1m, 1m, 75%', 'Response times one by one')).toEqual([
    '12:00 PMTable 7 High chair16mtarget 15m',
    '12:00 PMTable 8 High chair10m',
  ])
})

it('rings with the sounds that the owner chose', async () => {
  QuietSocket.alarmSet = 'wood'
  onTestFinished(() => void (QuietSocket.alarmSet = 'bells'))
  vi.stubGlobal(
    'AudioContext',
    class extends EventTarget {
      state = 'running'
      currentTime = 0
      async close(): Promise<void> {}
    },
  )
  const played: number[] = []
  class Silent {
    gain = { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} }
    connect = (next: unknown) => next
    start = () => {}
    stop = () => {}
    constructor(_context: unknown, { frequency }: { frequency?: number }) {
      if (frequency !== undefined) played.push(Math.round(frequency))
    }
  }
  for (const name of ['PeriodicWave', 'GainNode', 'OscillatorNode']) vi.stubGlobal(name, Silent)
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
  })
  for (const type of ['pointerdown', 'pointerup']) window.dispatchEvent(new Event(type))
  await screen.findByRole('button', { name: 'Sound on' })
  for (const screens of [1, 0])
    await act(async () => socket.receive({ type: 'presence', listening: screens > 0, screens }))
  await screen.findByText('Nobody is listening')
  // "Urgent" of the wooden set, which begins at 660 Hz.
  await expect.poll(() => played).toEqual([792, 1188, 792, 1188])
})

describe('that no screen is listening', () => {
  const closed = {
    hours: [[{ from: '11:30', to: '14:00' }], [], [], [], [], [], []],
    pauses: [],
    timeZone: 'UTC',
  }
  const isAlarm = () => screen.queryByText('No screen is listening')?.classList.contains('text-late')
  const open = async (more: Answers) => {
    const socket = await openQuietStaffApp('/management-dashboard', {
      'GET /api/admin/current-user': [200, user],
      'GET /api/analytics/overview': emptyOverview,
      ...more,
    })
    await act(async () => socket.receive({ type: 'presence', listening: false, screens: 0 }))
    return socket
  }

  it('is a quiet line while the restaurant is closed, and an alarm once a guest waits all the same', async () => {
    // A Tuesday.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T12:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const socket = await open({ 'GET /api/opening': [200, closed] })
    await expect.poll(isAlarm).toBe(false)
    await act(async () =>
      socket.receive({ type: 'new-request', seq: 1, request: buildRequest({ id: 'r1', tableNumber: '4' }) }),
    )
    await expect.poll(isAlarm).toBe(true)
    await act(async () => socket.receive({ type: 'request-completed', seq: 2, id: 'r1', by: null }))
    await expect.poll(isAlarm).toBe(false)
  })

  it('is an alarm within opening hours', async () => {
    await open({ 'GET /api/opening': [200, { ...closed, hours: null }] })
    await expect.poll(isAlarm).toBe(true)
  })
})

it('keeps names and what guests ask for in their own direction', async () => {
  const floor = (tableId: string) => [{ tableId, crewMemberId: 'c2', date: '2026-11-20' }]
  const socket = await openQuietStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
    'GET /api/crew': [200, [{ id: 'c2', name: 'רות', role: 'Server' }]],
    'GET /api/tables': [200, [{ id: 't5', tableNumber: '5', category: 'table' }]],
    'GET /api/host-stand': [200, { id: 'stand', tableNumber: 'Host Stand', category: 'host stand' }],
    'GET /api/table-assignments-by-date': [200, floor('t5')],
  })
  const need = { id: 'bill', name: { he: 'חשבון' }, icon: 'bill' } as const
  const acceptedBy = { id: 'c1', name: 'דוד' }
  const taken = {
    state: 'accepted',
    acceptedBy,
    level: 2,
    stillWaitingAt: 1,
    serviceType: 'other',
    need,
  } as const
  await act(async () => {
    socket.receive({
      type: 'new-request',
      seq: 1,
      request: buildRequest({ id: 'r1', tableNumber: '4', ...taken }),
    })
    socket.receive({ type: 'new-request', seq: 2, request: buildRequest({ id: 'r2', tableNumber: '5' }) })
  })
  const namesIn = (element: Element | null) =>
    [...(element?.querySelectorAll('bdi') ?? [])].map(({ textContent }) => textContent)
  const alert = await screen.findByText('Still waiting')
  expect(namesIn(alert.closest('[role=alert]'))).toEqual(['חשבון', 'דוד'])
  const today = screen.getByRole('region', { name: 'Today' })
  await waitFor(() => expect(namesIn(today)).toEqual(['רות', 'דוד']))
  expect(today.textContent).toContain('רות’s table, nobody on it')
})

it('shows "Generating QR code..." while it loads, and "No QR Code Yet" if there is none', async () => {
  const answer = Promise.withResolvers<[number, unknown]>()
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': emptyOverview,
    'GET /api/qr-codes/me': () => answer.promise,
  })
  await screen.findByText('Generating QR code...')
  answer.resolve([404, { code: 'not_found', message: 'No QR code yet' }])
  await screen.findByText('No QR Code Yet')
  expect(screen.queryByText('Generating QR code...')).toBeNull()
  press('button', 'Active Tables')
  await screen.findByText('Tables appear when servers assign themselves.')
})

it.each([
  ['reminds', 1_800_000_000_000, 0, 1],
  ['does not remind', 1_800_000_000_000, 10, 0],
  ['does not remind', null, 0, 0],
])(
  '%s managers with an authenticator since %s and %i recovery codes to save some',
  async (_, since, left, reminders) => {
    openStaffApp('/management-dashboard', {
      'GET /api/admin/current-user': [200, user],
      'GET /api/analytics/overview': emptyOverview,
      'GET /api/authenticator': [200, { since, hasPassword: true }],
      'GET /api/recovery-codes': [200, { left, createdAt: null }],
    })
    await screen.findByText('0 today')
    await expect
      .poll(() => screen.queryAllByRole('link', { name: 'Save your recovery codes.' }))
      .toHaveLength(reminders)
  },
)

describe('expected times', () => {
  const similar = [
    {
      serviceType: 'food',
      others: { from: 0, to: 1 },
      requests: 200,
      expected: { fromMs: 120_000, untilMs: 300_000 },
    },
    { serviceType: 'food', others: { from: 2, to: 4 }, requests: 12, expected: null },
    { serviceType: 'drinks', others: { from: 10, to: null }, requests: 200, expected: null },
  ]
  const open = (expectedTimes: object) =>
    openStaffApp('/management-dashboard', {
      'GET /api/admin/current-user': [200, user],
      'GET /api/analytics/expected-times': [200, expectedTimes],
    })

  it('say what guests read, and how often it was right', async () => {
    const need = { id: 'water', name: { en: 'Water' } }
    const own = { ...similar[1], serviceType: 'other', need }
    open({ on: true, similar: [...similar, own], kept: [{ serviceType: 'food', told: 50, kept: 43 }] })
    await screen.findByText(/50 requests had an expected time, which was kept in 86% of cases/)
    const rows = screen.getAllByRole('row').map((row) => row.textContent)
    expect(rows).toEqual(
      expect.arrayContaining([
        'Food Order5086%',
        'Food Order, 0 to 1 others2 to 5 min',
        'Food Order, 2 to 4 others12 of 200 requests',
        'Drinks, 10 or more othersvaries too much',
        'Water, 2 to 4 others12 of 200 requests',
      ]),
    )
  })

  it('say how often it was right of a single request, and what begins within the first minute as guests read it', async () => {
    const expected = { fromMs: 0, untilMs: 60_000 }
    open({
      on: true,
      similar: [{ ...similar[0], expected }],
      kept: [{ serviceType: 'food', told: 1, kept: 0 }],
    })
    await screen.findByText(/ 1 request had an expected time, which was kept in 0% of cases/)
    const rows = screen.getAllByRole('row').map((row) => row.textContent)
    expect(rows).toContain('Food Order, 0 to 1 otherswithin 1 min')
  })

  it('are missing unless the owner uses them', async () => {
    open({ on: false, similar: [], kept: [] })
    await screen.findByRole('heading', { name: 'Pauses' })
    expect(screen.queryByRole('heading', { name: 'Expected times' })).toBeNull()
  })
})
