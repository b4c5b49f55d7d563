import type { Page } from 'playwright-core'

/** Simulates a cheap phone on a slow network: Chromium's "Slow 4G" preset, and a quarter of the CPU speed. */
export async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150 * 3.75,
    downloadThroughput: (1_600_000 / 8) * 0.9,
    uploadThroughput: (750_000 / 8) * 0.9,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}
