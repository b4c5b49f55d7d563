import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { freePort } from '../../support/ports.ts'
import { WebProxy } from '../../support/proxies/web-proxy.ts'
import { findBrowser } from './find-browser.ts'

/** `clip`: a Y4M file that plays in a loop. `denied`: a camera without permission to use it. */
export type Camera = { clip: string } | 'denied' | 'none'

export type PageOptions = BrowserContextOptions & {
  camera?: Camera
  /** Errors that may or may not occur. For one that must occur, use `expectPageError`. */
  tolerate?: RegExp[]
}

/** The errors of a staff page while the server is down: from its live channel, its reads, its prefetches and its worker. */
export const serverAwayErrors = [
  /WebSocket connection to/,
  /\/ws\b/,
  /\/healthz/,
  /\/assets\//,
  /\/waiter net::/,
  /\/service-worker\.js net::/,
  /GET \S+\/api\/\S+ net::/,
  /net::ERR_\w+ \(\S+\/api\//,
  // The same, as the console says it.
  /error occurred when fetching the script/,
]

/** For how long an action on a page waits: enough on a machine that is four times as slow as usual. */
const patienceMs = 90_000

type PageError = { pattern: RegExp; needed: boolean; met: boolean }
type ErrorLog = { expected: PageError[]; unexpected: string[] }

/** Replaces Playwright's list, because Chromium uses only the last such argument. Keeps what affects pages. */
const withoutFeatures = [
  // The browser's own pages, created along with each page of a test, which take a third of the CPU time.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
]

const baseArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  `--disable-features=${withoutFeatures.join(',')}`,
]

const browsers = new Map<string, Promise<Browser>>()
const errorLogs = new WeakMap<BrowserContext, ErrorLog>()

function launch({ path, env } = findBrowser(), extra: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: path, env, args: [...baseArguments, ...extra] })
}

/** One browser of each program for all tests of a worker; it exits with the worker. */
export async function sharedBrowser(program = findBrowser()): Promise<Browser> {
  const browser = browsers.get(program.path) ?? launch(program)
  browsers.set(program.path, browser)
  try {
    return await browser
  } catch (error) {
    // The next test may have more luck.
    browsers.delete(program.path)
    throw error
  }
}

function cameraArguments(camera: Camera): string[] {
  if (camera === 'none') return []
  const device = '--use-fake-device-for-media-stream'
  if (camera === 'denied') return [device, '--use-fake-ui-for-media-stream=deny']
  return [device, '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${camera.clip}`]
}

/**
 * Opens an empty page in a separate context, with its own cookies and storage, that is closed when the running
 * test ends. The test fails if any page of the context had an unexpected error: a console error (which includes
 * violations of the Content-Security-Policy), an uncaught exception, or a failed request.
 */
export async function openPage({
  camera = 'none',
  tolerate = [],
  // The service worker fetches the whole crew app, which only tests of alerts and of work without a network need.
  serviceWorkers = 'block',
  ...options
}: PageOptions = {}): Promise<Page> {
  const program = findBrowser(serviceWorkers === 'allow' ? 'service worker' : 'page')
  const browser =
    camera === 'none' ? await sharedBrowser(program) : await launch(program, cameraArguments(camera))
  const context = await browser.newContext({ locale: 'en-US', serviceWorkers, ...options })
  context.setDefaultTimeout(patienceMs)
  const record = watchErrors(context)
  await context.addInitScript(reportCspViolations)
  record.expected.push(...tolerate.map((pattern) => ({ pattern, needed: false, met: false })))
  if (typeof camera === 'object') await context.grantPermissions(['camera'])
  onTestFinished(async () => {
    await (camera === 'none' ? context.close() : browser.close())
    const { expected, unexpected } = record
    if (unexpected.length > 0) throw new Error(`Unexpected errors on the page:\n${unexpected.join('\n')}`)
    const missing = expected.filter(({ needed, met }) => needed && !met)
    if (missing.length > 0) {
      throw new Error(
        `Expected errors that did not occur: ${missing.map(({ pattern }) => pattern).join(', ')}`,
      )
    }
  })
  return context.newPage()
}

/** Logs everything that the Content-Security-Policy blocks, because browsers do not always do so. */
function reportCspViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI} ${sample}`),
  )
}

/**
 * A network that a test can take away: `openPage(network.options)`, then `network.switchTo('away')`. Playwright's
 * `setOffline` keeps a processor busy for as long as it lasts.
 */
export async function openNetwork(app: TestApp): Promise<WebProxy & { options: PageOptions }> {
  const network = new WebProxy(await freePort(), () => app.port)
  onTestFinished(() => network.stop())
  // Otherwise Chromium asks for nothing on this machine by a proxy.
  return Object.assign(network, { options: { proxy: { server: network.url, bypass: '<-loopback>' } } })
}

/** A server whose pages come through a proxy. */
export async function startProxiedApp(): Promise<{
  app: TestApp
  proxy: WebProxy
  stop: () => Promise<void>
}> {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const app = await startTestApp({ guestLimits: false, publicUrl, origins: [publicUrl] })
  const proxy = new WebProxy(port, () => app.port)
  return {
    app,
    proxy,
    async stop() {
      await proxy.stop()
      await app.stop()
    },
  }
}

/** Opens a second tab, with the same cookies and storage. */
export function openTab(page: Page): Promise<Page> {
  return page.context().newPage()
}

/**
 * Lets the worker that waits replace the one before, which the browser has ended meanwhile as it had nothing to do. The
 * test called `page.clock.install()` before the page opened.
 */
export async function letNewWorkerTakeOver(page: Page): Promise<void> {
  const isWaiting = (): Promise<boolean> =>
    page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting))
  await expect.poll(isWaiting).toBe(true)
  const session = await page.context().newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await session.detach()
  const waitAMinute = async (): Promise<boolean> => {
    await page.clock.fastForward('01:00')
    return isWaiting()
  }
  await expect.poll(waitAMinute).toBe(false)
}

/** Call before an expected error that matches `pattern`. The test fails if it does not occur. */
export function expectPageError(page: Page, pattern: RegExp): void {
  errorLogs.get(page.context())?.expected.push({ pattern, needed: true, met: false })
}

function watchErrors(context: BrowserContext): ErrorLog {
  const record: ErrorLog = { expected: [], unexpected: [] }
  errorLogs.set(context, record)
  const note = (text: string): void => {
    const expected = record.expected.filter(({ pattern }) => pattern.test(text))
    for (const expectation of expected) expectation.met = true
    if (expected.length === 0) record.unexpected.push(text)
  }
  context.on('console', (message) => {
    // Only a browser's first page requests the icon.
    if (message.location().url.endsWith('/favicon.ico')) return
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => note(`exception: ${error.error().stack ?? error.error().message}`))
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Leaving a page cancels its pending requests.
    if (reason !== 'net::ERR_ABORTED') note(`request: ${request.method()} ${request.url()} ${reason}`)
  })
  context.on('page', (page) => page.on('crash', () => note(`crash: ${page.url()}`)))
  return record
}
