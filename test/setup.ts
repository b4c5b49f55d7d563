import { format } from 'node:util'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { recordComplaint, assertNoComplaints } from './support/console.ts'
import { allowConnections, guardConnections } from './support/network.ts'

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  // On a busy machine a page can take longer than the default timeout of one second.
  configure({ asyncUtilTimeout: 10_000 })
}

guardConnections()
for (const server of ['TEST_DATABASE_URL', 'TEST_REDIS_URL']) allowConnections(process.env[server] ?? '')

beforeEach(() => {
  console.error = (...args) => recordComplaint(format(...args))
  console.warn = (...args) => recordComplaint(format(...args))
})

afterEach(async () => {
  vi.useRealTimers()
  if (typeof document !== 'undefined') await clearPage()
  assertNoComplaints()
})

afterAll(assertNoComplaints)

/** Test files share one jsdom window (`isolate: false`), so each test restores it. */
async function clearPage(): Promise<void> {
  const { cleanup } = await import('@testing-library/react')
  cleanup()
  document.body.replaceChildren()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
}
