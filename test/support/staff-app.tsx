import { setImmediate } from 'node:timers/promises'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { vi } from 'vitest'
import { createQueryClient } from '../../src/client/api/queries.ts'
import { App } from '../../src/client/app/routes.tsx'
import { ToastProvider } from '../../src/client/ui/toast.tsx'
import { UnreachableSocket } from './jsdom-socket.ts'

type Answer = [status: number, body: unknown]
/** The server's answers to `METHOD /path`; any other call is answered that nobody is signed in. */
export type Answers = Record<string, Answer | ((body: unknown) => Answer | Promise<Answer>)>

const nobody: Answer = [401, { code: 'unauthenticated', message: 'Please sign in' }]

export const owner = {
  restaurantName: 'The Copper Pot',
  email: 'owner@copper.example',
  subscriptionStatus: 'active',
}
export const ownerSignedIn: Answers = { 'GET /api/auth/user': [200, owner] }
export const signedIn = { restaurantName: 'The Copper Pot' }
/** A browser that is signed in to the restaurant, as after the restaurant login. */
export const device: Answers = {
  'GET /api/session': [200, { restaurantName: 'The Copper Pot', grants: ['device'], crewMember: null }],
}
export const refusalAnswer = (status: number, message: string): Answer => [
  status,
  { code: 'unauthenticated', message },
]

type StaffApp = {
  /** Full navigations, away from the app. */
  navigations: string[]
  /** `METHOD /path` and the body of every write. */
  calls: [call: string, body: unknown][]
  answers: Answers
}

/** Opens the staff app at a path, with answers that the test provides and without a live channel. */
export function openStaffApp(path: string, given: Answers = {}): StaffApp {
  const answers = { ...given }
  const calls: StaffApp['calls'] = []
  const navigations: string[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body }: { method: string; body?: string }) => {
    const call = `${method} ${url.split('?')[0]}`
    const sent: unknown = body === undefined ? undefined : JSON.parse(body)
    if (method !== 'GET') calls.push([call, sent])
    const answer = answers[call] ?? nobody
    const [status, reply] = typeof answer === 'function' ? await answer(sent) : answer
    return new Response(typeof reply === 'string' ? reply : JSON.stringify(reply), { status })
  })
  vi.stubGlobal('WebSocket', UnreachableSocket)
  history.replaceState(null, '', path)
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <App leave={(to) => navigations.push(to)} reload={() => navigations.push('reload')} />
      </ToastProvider>
    </QueryClientProvider>,
  )
  return { navigations, calls, answers }
}

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

export async function findTitle(name: string): Promise<HTMLElement> {
  return await screen.findByRole('heading', { level: 1, name }, { timeout: 5000 })
}

export const currentPath = (): string => location.pathname + location.search

export function fill(fields: Record<string, string>): void {
  for (const [label, value] of Object.entries(fields))
    fireEvent.input(screen.getByLabelText(label), { target: { value } })
}

export function press(role: 'button' | 'link' | 'checkbox', name: string): void {
  fireEvent.click(screen.getByRole(role, { name }))
}

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
