// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { afterGoingBack, leaveFor, useCloseOnBack } from './use-close-on-back.ts'

function Layer({ open, close }: { open: boolean; close: () => void }): null {
  useCloseOnBack(open, close)
  return null
}

/** A page with a drawer, and a dialog over it. */
function page() {
  let shown = { drawer: false, dialog: false }
  const closed: string[] = []
  const view = () => (
    <>
      {(['drawer', 'dialog'] as const).map((name) => (
        <Layer
          key={name}
          open={shown[name]}
          close={() => {
            closed.push(name)
            show({ [name]: false })
          }}
        />
      ))}
    </>
  )
  const { rerender } = render(view())
  function show(change: Partial<typeof shown>): void {
    shown = { ...shown, ...change }
    rerender(view())
  }
  return { show, closed }
}

const currentPlace = (): unknown => history.state?.place

/** Closes a layer in a browser that takes its time: it goes back when it is allowed to. */
async function closeSlowly(close: () => void) {
  const allowed = Promise.withResolvers<void>()
  const go = history.go.bind(history)
  const going = vi.spyOn(history, 'go').mockImplementation((by) => void allowed.promise.then(() => go(by)))
  close()
  await expect.poll(() => going.mock.calls).toEqual([[-1]])
  return { goOn: () => navigate(allowed.resolve) }
}

/** Waits until the browser has arrived there, without a layer. */
async function settled(place: string): Promise<void> {
  await expect.poll(() => [currentPlace(), history.state?.layer]).toEqual([place, undefined])
}

async function navigate(start: () => void): Promise<void> {
  const arrived = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }))
  start()
  await arrived
}

const back = (): Promise<void> => navigate(() => history.back())

beforeEach(() => {
  history.pushState({ place: 'before' }, '')
  history.pushState({ place: 'page' }, '')
})

it('closes the top layer, one at a time, before it leaves the page', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  show({ dialog: true })
  await back()
  await expect.poll(() => closed).toEqual(['dialog'])
  await back()
  await expect.poll(() => closed).toEqual(['dialog', 'drawer'])
  expect(currentPlace()).toBe('page')
  await back()
  expect(currentPlace()).toBe('before')
})

it('leaves no entries when layers are closed by their buttons, or two at once', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  show({ drawer: false })
  await settled('page')
  show({ drawer: true })
  show({ dialog: true })
  show({ drawer: false, dialog: false })
  await settled('page')
  await back()
  expect(currentPlace()).toBe('before')
  expect(closed).toEqual([])
})

it('counts a layer that replaces another once', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  show({ drawer: false, dialog: true })
  await back()
  await settled('page')
  expect(closed).toEqual(['dialog'])
})

it('closing a layer does not go back after a navigation, and opens nothing when going forward', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  await back()
  await navigate(() => history.forward())
  expect(closed).toEqual(['drawer'])
  await back()
  expect(currentPlace()).toBe('page')
  show({ drawer: true })
  history.pushState({ place: 'elsewhere' }, '')
  show({ drawer: false })
  // If closing had gone back by itself, this would lead one entry further.
  history.pushState({ place: 'further' }, '')
  await back()
  expect(currentPlace()).toBe('elsewhere')
})

it('keeps a layer open that opens while the entry of the one before is still being removed', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  await navigate(() => {
    show({ drawer: false })
    // The entry is removed in a microtask, and the browser goes back later.
    queueMicrotask(() => queueMicrotask(() => show({ dialog: true })))
  })
  expect(closed).toEqual([])
  await back()
  await settled('page')
  expect(closed).toEqual(['dialog'])
})

it('keeps a layer open, however long the browser takes to remove the entry of the one before', async () => {
  const { show, closed } = page()
  show({ drawer: true })
  const browser = await closeSlowly(() => show({ drawer: false }))
  show({ dialog: true })
  await browser.goOn()
  expect(closed).toEqual([])
  await back()
  await settled('page')
  expect(closed).toEqual(['dialog'])
})

it('goes to a page that is asked for meanwhile, once the entry has been removed', async () => {
  const { show } = page()
  show({ drawer: true })
  const browser = await closeSlowly(() => show({ drawer: false }))
  afterGoingBack(() => history.pushState({ place: 'elsewhere' }, ''))
  await browser.goOn()
  await settled('elsewhere')
  await back()
  expect(currentPlace()).toBe('page')
})

it('goes there even if the browser ignores the step back', async () => {
  const { show } = page()
  show({ drawer: true })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await closeSlowly(() => show({ drawer: false }))
  afterGoingBack(() => history.pushState({ place: 'elsewhere' }, ''))
  await vi.advanceTimersByTimeAsync(9_000)
  expect(currentPlace()).toBe('page')
  await vi.advanceTimersByTimeAsync(2_000)
  await settled('elsewhere')
})

it('loads a page of the server once the entry has been removed, which would cancel it', async () => {
  const { show } = page()
  show({ drawer: true })
  const browser = await closeSlowly(() => show({ drawer: false }))
  leaveFor('#elsewhere')
  expect(location.hash).toBe('')
  await browser.goOn()
  await expect.poll(() => location.hash).toBe('#elsewhere')
  dispatchEvent(new Event('pageshow'))
})
