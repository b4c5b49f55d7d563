import { setImmediate } from 'node:timers/promises'
import { format } from 'node:util'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { recordComplaint, assertNoComplaints } from './support/console.ts'
import { allowConnections, guardConnections } from './support/network.ts'

/** How often jsdom draws, in milliseconds. */
const frameMs = 17

if (typeof document !== 'undefined') {
  const { configure, getConfig, prettyDOM } = await import('@testing-library/react')
  configure({
    // On a busy machine a page can take longer than the default timeout of one second.
    asyncUtilTimeout: 10_000,
    // A query that waits fails many times before it succeeds; printing the whole page each time takes long.
    getElementError(message, container) {
      const isWaiting = Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true
      const text = isWaiting ? message : `${message}\n\n${prettyDOM(container)}`
      return Object.assign(new Error(text ?? ''), { name: 'TestingLibraryElementError' })
    },
  })
  // A page that a test leaves behind may go on delivering what it holds. It finds no server.
  const { UnreachableSocket } = await import('./support/pages/jsdom-socket.ts')
  Object.assign(globalThis, { WebSocket: UnreachableSocket })
  // As on a page that has been open for a moment.
  const { loadToasts } = await import('../src/client/ui/toast/toast.tsx')
  await loadToasts()
}

// What is made at random is the same in every run. A failure tells the seed, which FUZZ_SEED may be too.
const { FUZZ_SEED: seed = '42' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

guardConnections()
for (const server of ['TEST_DATABASE_URL', 'TEST_REDIS_URL']) allowConnections(process.env[server] ?? '')

beforeEach(() => {
  console.error = (...args) => recordComplaint(format(...args))
  console.warn = (...args) => recordComplaint(format(...args))
})

afterEach(async () => {
  // jsdom draws by a timer that it keeps until nothing waits for a frame. One that a test replaced would never come again.
  if (typeof document !== 'undefined' && vi.isFakeTimers()) {
    const { cleanup } = await import('@testing-library/react')
    cleanup()
    vi.advanceTimersByTime(frameMs)
  }
  // Otherwise they would last until the next test begins, also while a file prepares its tests.
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  vi.useRealTimers()
  if (typeof document !== 'undefined') await clearPage()
  assertNoComplaints()
})

afterAll(assertNoComplaints)

/** Closed dialogs take their entries out of the history, where jsdom arrives two tasks later. */
async function closePage(): Promise<void> {
  const { cleanup } = await import('@testing-library/react')
  cleanup()
  for (let task = 0; task < 3; task++) await setImmediate()
}

/** Test files share one jsdom window (`isolate: false`), so each test restores it. */
async function clearPage(): Promise<void> {
  await closePage()
  const { compareClocks } = await import('../src/client/lib/server-clock.ts')
  compareClocks(new Date().toUTCString())
  document.body.replaceChildren()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  // Where an entry was added meanwhile, jsdom never arrives.
  dispatchEvent(new PopStateEvent('popstate'))
}
