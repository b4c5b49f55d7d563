import type { Page } from 'playwright-core'

/**
 * Counts how many functions the page calls: unlike the time they take, it is the same on a busy machine. Each look counts
 * what was called since the one before, until a frame in which nothing is.
 */
export async function countCalls(page: Page): Promise<() => Promise<number>> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Profiler.enable')
  await devTools.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const takeCalls = async (): Promise<number> => {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    const { result } = await devTools.send('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => url.includes('/assets/'))
      .flatMap(({ functions }) => functions.map(({ ranges: [range] }) => range?.count ?? 0))
      .reduce((sum, count) => sum + count, 0)
  }
  return async () => {
    let calls = 0
    let more = await takeCalls()
    while (more > 0) {
      calls += more
      more = await takeCalls()
    }
    return calls
  }
}
