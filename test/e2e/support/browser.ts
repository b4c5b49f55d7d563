import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { onTestFinished } from 'vitest'
import { findBrowser } from './find-browser.ts'

/** `clip`: a Y4M file plays in an endless loop. `denied`: there is a camera, and no permission. */
export type Camera = { clip: string } | 'denied' | 'none'

export type PageOptions = BrowserContextOptions & {
  camera?: Camera
  /** Troubles that may come, or may not. For one that must come, use `expectTrouble`. */
  tolerate?: RegExp[]
}

/** What a staff page complains of while the server is away: its channel, and what it fetches before it is needed. */
export const serverAwayErrors = [/WebSocket connection to/, /\/ws\b/, /\/assets\//]

type PageError = { pattern: RegExp; needed: boolean; met: boolean }
type ErrorLog = { expected: PageError[]; unexpected: string[] }

/** Replaces Playwright's list, of which a Chromium takes the last one only: its entries that change a page. */
const withoutFeatures = [
  // Two pages of the browser's own, made anew beside each page of a test: a third of the processor time.
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

let browserPromise: Promise<Browser> | undefined
const errorLogs = new WeakMap<BrowserContext, ErrorLog>()

function launch(extra: string[] = []): Promise<Browser> {
  const { path, env } = findBrowser()
  return chromium.launch({ executablePath: path, env, args: [...baseArguments, ...extra] })
}

/** One browser for all tests of a worker; it ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  browserPromise ??= launch()
  return browserPromise
}

function cameraArguments(camera: Camera): string[] {
  if (camera === 'none') return []
  const device = '--use-fake-device-for-media-stream'
  if (camera === 'denied') return [device, '--use-fake-ui-for-media-stream=deny']
  return [device, '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${camera.clip}`]
}

/**
 * Opens an empty page in a context of its own (its own cookies and storage), closed when the running test
 * ends. The test fails when the page, or another page of the same context, had trouble that was not expected:
 * a console error (violations of the Content-Security-Policy are some), an exception, a request that failed.
 */
export async function openPage({
  camera = 'none',
  tolerate = [],
  ...options
}: PageOptions = {}): Promise<Page> {
  const browser = camera === 'none' ? await sharedBrowser() : await launch(cameraArguments(camera))
  const context = await browser.newContext({ locale: 'en-US', ...options })
  const record = watchErrors(context)
  await context.addInitScript(reportCspViolations)
  record.expected.push(...tolerate.map((pattern) => ({ pattern, needed: false, met: false })))
  if (typeof camera === 'object') await context.grantPermissions(['camera'])
  onTestFinished(async () => {
    await (camera === 'none' ? context.close() : browser.close())
    const { expected, unexpected } = record
    if (unexpected.length > 0) throw new Error(`Trouble on the page:\n${unexpected.join('\n')}`)
    const missing = expected.filter(({ needed, met }) => needed && !met)
    if (missing.length > 0) {
      throw new Error(
        `Expected trouble that did not come: ${missing.map(({ pattern }) => pattern).join(', ')}`,
      )
    }
  })
  return context.newPage()
}

/** What the Content-Security-Policy blocks is an error on the console, also where the browser says nothing there. */
function reportCspViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI} ${sample}`),
  )
}

/** Another page beside one that is open: the same cookies and storage, as a second tab has. */
export function openTab(page: Page): Promise<Page> {
  return page.context().newPage()
}

/** Says that trouble matching `pattern` will come, before it comes. The test fails when it does not. */
export function expectPageError(page: Page, pattern: RegExp): void {
  errorLogs.get(page.context())?.expected.push({ pattern, needed: true, met: false })
}

function watchErrors(context: BrowserContext): ErrorLog {
  const record: ErrorLog = { expected: [], unexpected: [] }
  errorLogs.set(context, record)
  const note = (text: string): void => {
    const expected = record.expected.filter(({ pattern }) => pattern.test(text))
    for (const trouble of expected) trouble.met = true
    if (expected.length === 0) record.unexpected.push(text)
  }
  context.on('console', (message) => {
    // Only the first page of a browser asks for the icon.
    if (message.location().url.endsWith('/favicon.ico')) return
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => note(`exception: ${error.error().stack ?? error.error().message}`))
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Leaving a page cancels what it still asked for.
    if (reason !== 'net::ERR_ABORTED') note(`request: ${request.method()} ${request.url()} ${reason}`)
  })
  context.on('page', (page) => page.on('crash', () => note(`crash: ${page.url()}`)))
  return record
}
