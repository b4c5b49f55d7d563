import { setImmediate } from 'node:timers/promises'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { expect, vi } from 'vitest'
import { createQueryClient } from '../../../src/client/api/queries.ts'
import { App } from '../../../src/client/app/routes.tsx'
import { preloadLazyParts } from '../../../src/client/lib/hooks/lazy.tsx'
import { ToastProvider } from '../../../src/client/ui/toast/toast.tsx'
import type { TestBrowser } from '../app.ts'
import { QuietSocket, UnreachableSocket } from './jsdom-socket.ts'

type Answer = [status: number, body: unknown]
/** What the test answers to `METHOD /path`. A function that returns nothing lets the server answer. */
export type Answers = Record<
  string,
  Answer | ((body: unknown) => Answer | undefined | Promise<Answer | undefined>)
>

const nobody: Answer = [401, { code: 'unauthenticated', message: 'Please sign in' }]

export const owner = {
  restaurantName: 'The Copper Pot',
  email: 'owner@copper.example',
  subscriptionStatus: 'active',
}
export const ownerSignedIn: Answers = {
  'GET /api/auth/user': [200, owner],
  'GET /api/session': [
    200,
    { restaurantName: owner.restaurantName, grants: ['owner', 'device'], crewMember: null },
  ],
}
export const signedIn = { restaurantName: 'The Copper Pot' }
/** A browser that is signed in to the restaurant, as after the restaurant login. */
export const device: Answers = {
  'GET /api/session': [200, { restaurantName: 'The Copper Pot', grants: ['device'], crewMember: null }],
}
export const refusalAnswer = (status: number, message: string): Answer => [
  status,
  { code: 'unauthenticated', message },
]

/** The answer to `GET /api/analytics/overview`. Under jsdom a server cannot start the thread that computes it. */
export const emptyOverview: Answer = [
  200,
  {
    day: '2026-11-20',
    timeZone: 'UTC',
    requestsToday: 0,
    completedToday: 0,
    openToday: 0,
    askedAgainToday: 0,
    requestsChange: null,
    averageResponseMs: null,
    medianResponseMs: null,
    withinTarget: { within: 0, of: 0 },
    responseChange: null,
    activeTables: 0,
    tables: [],
    latest: [],
  },
]

/** The answers about figures on a day without any. */
export const withoutFigures: Answers = {
  'GET /api/analytics/overview': emptyOverview,
  'GET /api/analytics/done-today': [200, { done: 0, medianResponseMs: null, until: Date.now() + 3_600_000 }],
  'GET /api/analytics': [503, { code: 'unavailable', message: 'Not now' }],
}

type StaffApp = {
  /** Full navigations, away from the app. */
  navigations: string[]
  /** `METHOD /path` and the body of every write. */
  calls: [call: string, body: unknown][]
  /** `STATUS METHOD /path` of every call that was refused. */
  refusals: string[]
  answers: Answers
  /** Waits until no call is under way. */
  whenLoaded: () => Promise<void>
}

/**
 * Opens the staff app at a path, without a live channel. Calls that the test does not answer go to the server of the
 * browser, or are answered that nobody is signed in.
 */
export function openStaffApp(
  path: string,
  given: Answers = {},
  browser?: TestBrowser,
  Socket: new () => EventTarget = UnreachableSocket,
): StaffApp {
  const answers = { ...given }
  const calls: StaffApp['calls'] = []
  const refusals: string[] = []
  let underWay = 0
  const navigations: string[] = []
  const network = fetch
  vi.stubGlobal('fetch', async (url: string, init: RequestInit & { body?: string }) => {
    // Only the page's own calls are relative.
    if (!url.startsWith('/')) return await network(url, init)
    const { method = 'GET', headers = {}, body } = init
    const call = `${method} ${url.split('?')[0]}`
    const sent: unknown = body === undefined ? undefined : JSON.parse(body)
    if (method !== 'GET') calls.push([call, sent])
    const reply = async (): Promise<Response> => {
      const known = answers[call]
      const answer = typeof known === 'function' ? await known(sent) : known
      if (answer || !browser) return toResponse(answer ?? nobody)
      // Without jsdom's signal, which Node does not accept as one.
      return await browser.fetch(url, { method, headers, ...(body && { body }) })
    }
    underWay += 1
    const response = await reply().finally(() => (underWay -= 1))
    if (!response.ok) refusals.push(`${response.status} ${call}`)
    return response
  })
  vi.stubGlobal('WebSocket', Socket)
  // A page that the test opened before would follow the address.
  cleanup()
  QuietSocket.current = undefined
  history.replaceState(null, '', path)
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <App leave={(to) => navigations.push(to)} reload={() => navigations.push('reload')} />
      </ToastProvider>
    </QueryClientProvider>,
  )
  const whenLoaded = (): Promise<void> => waitFor(() => expect(underWay).toBe(0))
  return { navigations, calls, refusals, answers, whenLoaded }
}

/** Loads the crew's screen and the wall display with all their parts: otherwise some would come while a test looks. */
export async function loadCrewScreens(): Promise<void> {
  await import('../../../src/client/app/crew.tsx')
  await import('../../../src/client/features/crew/wall/wall-display.tsx')
  await preloadLazyParts()
}

/** Opens it with a live channel on which nothing happens, and waits until that has the list of requests. */
export async function openQuietStaffApp(path: string, given: Answers): Promise<QuietSocket> {
  openStaffApp(path, given, undefined, QuietSocket)
  return await waitFor(() => {
    if (!QuietSocket.current?.hasList) throw new Error('The live channel has no list yet')
    return QuietSocket.current
  })
}

const toResponse = ([status, reply]: Answer): Response =>
  new Response(typeof reply === 'string' ? reply : JSON.stringify(reply), { status })

/** From now on time stands still except for `advanceTime`. */
export function freezeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

export async function advanceTime(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })
}

/** Advances time by a millisecond at a time until there is a toast; returns its text. */
export async function toastWithFrozenTime(): Promise<string> {
  for (let ms = 0; ms < 100; ms += 1) {
    await advanceTime(1)
    await act(async () => await setImmediate())
    const toast = screen.queryByRole('group')
    if (toast) return toast.textContent
  }
  throw new Error('No toast appeared')
}

/** Advances time by a millisecond at a time until the page has this title. */
export async function titleWithFrozenTime(name: string): Promise<HTMLElement> {
  const title = { level: 1, name }
  for (let ms = 0; ms < 100 && !screen.queryByRole('heading', title); ms += 1) await advanceTime(1)
  return screen.getByRole('heading', title)
}

export async function findTitle(name: string): Promise<HTMLElement> {
  return await screen.findByRole('heading', { level: 1, name })
}

export const currentPath = (): string => location.pathname + location.search

export function fill(fields: Record<string, string>): void {
  for (const [label, value] of Object.entries(fields))
    fireEvent.input(screen.getByLabelText(label), { target: { value } })
}

export function press(role: 'button' | 'link' | 'checkbox', name: string): void {
  fireEvent.click(screen.getByRole(role, { name }))
}

/** Waits for a toast with these texts. */
export async function waitForToast(...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await within(screen.getByLabelText('Notifications')).findByText(text)
}

/** Waits for a toast with these texts, which stays until it is dismissed: as if somebody pointed at it. */
export async function holdToast(...texts: (string | RegExp)[]): Promise<void> {
  await waitForToast(...texts)
  fireEvent.mouseEnter(screen.getByLabelText('Notifications'))
}

/** Waits until the button can be pressed, and does. */
export async function pressWhenReady(name: string, container: HTMLElement = document.body): Promise<void> {
  const button = (): HTMLElement => within(container).getByRole('button', { name })
  await waitFor(() => expect(button().matches(':disabled')).toBe(false))
  fireEvent.click(button())
}

/** Presses the button that has the focus, as Enter does. */
export function pressFocused(): void {
  if (document.activeElement) fireEvent.click(document.activeElement)
}

export const focusedName = (): string | null =>
  document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? null

/** The toast, as one text. */
export async function toastText(): Promise<string> {
  const toast = await screen.findByRole('group')
  return toast.textContent
}

export const getButton = (name: string): HTMLButtonElement => screen.getByRole('button', { name })
export const fieldProblem = (label: string): string =>
  (screen.getByLabelText(label).getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')

/** Presses the button while time stands still, and waits until the answer has been processed. */
export async function pressWithFrozenTime(name: string): Promise<void> {
  freezeTime()
  press('button', name)
  for (let round = 0; round < 20; round += 1) await advanceTime(0)
}

/** The path just before the delay is over, and just after. */
export async function pathsAround(ms: number): Promise<string[]> {
  await advanceTime(ms - 5)
  const before = currentPath()
  await advanceTime(10)
  return [before, currentPath()]
}
