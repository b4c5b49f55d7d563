// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { type JSX, useEffect } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { ToastProvider, type ToastOptions, useToast } from './toast.tsx'

const shown = (): (string | null)[] =>
  within(screen.getByRole('region', { name: 'Notifications' }))
    .queryAllByRole('group')
    .map((toast) => toast.textContent)

function Screen({ toasts }: { toasts: ToastOptions[] }): JSX.Element {
  const { toast, dismiss, carryOver } = useToast()
  return (
    <>
      {toasts.map((options) => (
        <button key={options.title} type="button" onClick={() => toast(options)}>
          show {options.title}
        </button>
      ))}
      <button type="button" onClick={() => dismiss()}>
        dismiss it
      </button>
      <button type="button" onClick={carryOver}>
        carry it
      </button>
    </>
  )
}

const press = (name: string): void => {
  fireEvent.click(screen.getByRole('button', { name }))
}

function start(...toasts: ToastOptions[]): void {
  render(
    <ToastProvider>
      <Screen toasts={toasts} />
    </ToastProvider>,
  )
}

function pass(ms: number): void {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}

beforeEach(() => {
  vi.useFakeTimers()
})

it('shows one toast at a time: the newest', () => {
  start({ title: 'New Request', description: 'Table 4 needs service' }, { title: 'Crew member added' })
  press('show New Request')
  expect(shown()).toEqual(['New RequestTable 4 needs service'])
  press('show Crew member added')
  expect(shown()).toEqual(['Crew member added'])
  press('dismiss it')
  pass(500)
  expect(shown()).toEqual([])
})

const move = (onClick = (): void => {}): ToastOptions => ({
  title: 'Table 4 moved to 12',
  action: { label: 'Undo', onClick },
  timeoutMs: 10_000,
})
const news = { title: 'New Request', description: 'Table 7 needs service' }

it('goes on offering an action that has a time of its own where a newer toast takes its place', () => {
  const undo = vi.fn()
  start(move(undo), news)
  press('show Table 4 moved to 12')
  pass(1000)
  press('show New Request')
  expect(shown()).toEqual(['New RequestTable 7 needs serviceTable 4 moved to 12Undo'])
  pass(8900)
  expect(shown()).toEqual(['New RequestTable 7 needs serviceTable 4 moved to 12Undo'])
  press('Undo')
  expect(undo).toHaveBeenCalledOnce()
  press('show New Request')
  expect(shown()).toEqual(['New RequestTable 7 needs service'])
})

it('no longer offers it once its time is over, while the newer toast stays for its own', () => {
  start(move(), news)
  press('show Table 4 moved to 12')
  pass(9000)
  press('show New Request')
  expect(shown()).toEqual(['New RequestTable 7 needs serviceTable 4 moved to 12Undo'])
  pass(1000)
  expect(shown()).toEqual(['New RequestTable 7 needs service'])
  pass(3900)
  expect(shown()).toEqual(['New RequestTable 7 needs service'])
  pass(600)
  expect(shown()).toEqual([])
})

it('no longer offers it once it was dismissed', () => {
  start(move(), news)
  press('show Table 4 moved to 12')
  press('Dismiss')
  pass(500)
  press('show New Request')
  expect(shown()).toEqual(['New RequestTable 7 needs service'])
})

const done = (onClick = (): void => {}): ToastOptions => ({
  title: 'Table 7 complete',
  action: { label: 'Undo', onClick },
})

it.each([
  ['its time is over', () => pass(5_000)],
  ['its own action was used', () => press('Undo')],
  ['it was dismissed', () => press('Dismiss')],
])('offers it again after a toast with an action of its own, once %s', (_, close) => {
  const [undoMove, undoDone] = [vi.fn(), vi.fn()]
  start(move(undoMove), done(undoDone), news)
  press('show Table 4 moved to 12')
  pass(2000)
  press('show Table 7 complete')
  expect(shown()).toEqual(['Table 7 completeUndo'])
  close()
  pass(500)
  expect(shown()).toEqual(['Table 4 moved to 12Undo'])
  expect(undoMove).not.toHaveBeenCalled()
  undoDone.mockClear()
  press('Undo')
  pass(500)
  expect([undoMove.mock.calls.length, undoDone.mock.calls.length]).toEqual([1, 0])
  expect(shown()).toEqual([])
})

it('offers it again for the rest of its time only', () => {
  start(move(), done())
  press('show Table 4 moved to 12')
  pass(2000)
  press('show Table 7 complete')
  pass(5500)
  expect(shown()).toEqual(['Table 4 moved to 12Undo'])
  pass(3000)
  expect(shown()).toEqual([])
  press('show Table 7 complete')
  pass(5500)
  expect(shown()).toEqual([])
})

it('closes by itself 5 seconds after the last one', () => {
  start({ title: 'First' }, { title: 'Second' })
  press('show First')
  pass(4000)
  press('show Second')
  pass(4900)
  expect(shown()).toEqual(['Second'])
  pass(600)
  expect(shown()).toEqual([])
})

it('closes after 5 seconds, too, where it takes the place of one with more time', () => {
  start({ title: 'First', timeoutMs: 10_000 }, { title: 'Second' })
  press('show First')
  press('show Second')
  pass(4900)
  expect(shown()).toEqual(['Second'])
  pass(600)
  expect(shown()).toEqual([])
})

it('interrupts the screen reader only for an error, and contains its text once', () => {
  start(
    { title: 'Unauthorized', description: 'Please log in to access this page.', destructive: true },
    { title: 'Done' },
  )
  press('show Unauthorized')
  expect(screen.getByRole('alert').textContent).toBe('UnauthorizedPlease log in to access this page.')
  expect(screen.getAllByText('Unauthorized')).toHaveLength(1)
  press('show Done')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByRole('region', { name: 'Notifications' }).getAttribute('aria-live')).toBe('polite')
})

it('runs its action once and closes', () => {
  const onClick = vi.fn()
  start({ title: 'Table 4 complete', action: { label: 'Undo', onClick } })
  press('show Table 4 complete')
  press('Undo')
  pass(500)
  expect(onClick).toHaveBeenCalledOnce()
  expect(shown()).toEqual([])
})

it('closes a toast by its title only while that one is shown', () => {
  function DoneAndNext(): JSX.Element {
    const { toast, dismiss } = useToast()
    return (
      <>
        <button onClick={() => toast({ title: 'Table 4 complete' })}>complete</button>
        <button onClick={() => toast({ title: 'New Request' })}>ask</button>
        <button onClick={() => dismiss('Table 4 complete')}>undo</button>
      </>
    )
  }
  render(
    <ToastProvider>
      <DoneAndNext />
    </ToastProvider>,
  )
  press('complete')
  press('ask')
  press('undo')
  pass(500)
  expect(shown()).toEqual(['New Request'])
  press('complete')
  press('undo')
  pass(500)
  expect(shown()).toEqual([])
})

it('shows a toast from a screen that is just opening', () => {
  function Guarded(): null {
    const { toast } = useToast()
    useEffect(() => toast({ title: 'Unauthorized', destructive: true }), [toast])
    return null
  }
  render(
    <ToastProvider>
      <Guarded />
    </ToastProvider>,
  )
  expect(shown()).toEqual(['Unauthorized'])
})

it('shows what was said before its code had come', async () => {
  vi.useRealTimers()
  vi.resetModules()
  const fresh = await import('./toast.tsx')
  function Guarded(): null {
    const { toast } = fresh.useToast()
    useEffect(() => toast({ title: 'Unauthorized' }), [toast])
    return null
  }
  render(
    <fresh.ToastProvider>
      <Guarded />
    </fresh.ToastProvider>,
  )
  expect(screen.queryByRole('region')).toBeNull()
  await screen.findByRole('region', { name: 'Notifications' })
  expect(shown()).toEqual(['Unauthorized'])
})

it('loads its code after the first paint, before there is anything to say', async () => {
  vi.resetModules()
  const fresh = await import('./toast.tsx')
  render(
    <fresh.ToastProvider>
      <p>Page</p>
    </fresh.ToastProvider>,
  )
  expect(screen.queryByRole('region')).toBeNull()
  pass(50)
  await act(async () => await fresh.loadToasts())
  expect(screen.getByRole('region', { name: 'Notifications' })).toBeTruthy()
})

it('shows a toast that is carried over on the next page, once', () => {
  const success = { title: 'Success!', description: 'Your subscription is now active.' }
  const nextPage = (): void => {
    cleanup()
    start(success)
  }
  start(success)
  press('show Success!')
  press('carry it')
  nextPage()
  expect(shown()).toEqual(['Success!Your subscription is now active.'])
  nextPage()
  expect(shown()).toEqual([])
})

it('a toast that has closed is not carried over', () => {
  start({ title: 'Success!' })
  press('show Success!')
  pass(5500)
  press('carry it')
  cleanup()
  start()
  expect(shown()).toEqual([])
})
