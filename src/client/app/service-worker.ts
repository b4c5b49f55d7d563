import type { NewPushSubscription, PushAction, PushedRequest, PushPayload } from '#contract/push.ts'
import { applyCatalogue, loadKeptCatalogue } from '../lib/texts/catalogue.ts'
import { t } from '../lib/texts/translate.ts'
import { nameInLanguage, translateNotification } from './pushed-text.ts'

/** The part of a service worker's global scope that this one needs. */
declare const self: {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(which: { type: 'window'; includeUncontrolled: true }): Promise<PageWindow[]>
    openWindow(url: string): Promise<PageWindow | null>
  }
  skipWaiting(): Promise<void>
  addEventListener<T extends keyof Events>(type: T, listener: (event: Events[T]) => void): void
}
type PageWindow = { url: string; visibilityState: DocumentVisibilityState; focus(): Promise<PageWindow> }
type Extendable = { waitUntil(task: Promise<unknown>): void }
type Events = {
  install: Extendable
  fetch: Extendable & { request: Request; respondWith(response: Promise<Response>): void }
  push: Extendable & { data: { json(): unknown } | null }
  message: Extendable & { data: unknown }
  notificationclick: Extendable & { notification: Notification; action: string }
  pushsubscriptionchange: Extendable
}
type Button = { action: PushAction['action']; title: string }
/** Supported by browsers, but missing in the DOM's types. */
type AlertOptions = NotificationOptions & {
  vibrate?: number[]
  renotify?: boolean
  actions?: Button[]
  data: { navigate: string; request?: PushedRequest }
}

/** The crew's page in this build. `files`: all that it may load, its entry first. Written by `scripts/build.ts`. */
declare const crewPage: { version: string; files: readonly string[] }

const { version, files } = crewPage
const crewPath = '/waiter'
const crewCachePrefix = 'crew-page-'
/** A broken Wi-Fi does not refuse, it hangs. */
const pageTimeoutMs = 3_000
const isCrewWorker = new URL(self.registration.scope).pathname === crewPath

/** How long to wait before sending a tap on a button again, in milliseconds. */
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000]
/** How long a tap is sent again: the browser ends a worker that takes longer. */
const retryMs = 30_000
/** How long the server gets to answer. */
const answerTimeoutMs = 8_000

// Pages of managers load without their worker, so a new version may start at once. The crew's waits until no page is
// open, or until the page that is open says so: see `lib/browser/new-worker.ts`.
self.addEventListener('install', (event) => {
  event.waitUntil(isCrewWorker ? keepCrewPage().catch(() => undefined) : self.skipWaiting())
})

// Only crews work on without a network, and managers' pages must not wait for a worker.
if (isCrewWorker)
  self.addEventListener('fetch', (event) => {
    const { request } = event
    const { pathname, origin } = new URL(request.url)
    if (origin !== new URL(self.registration.scope).origin) return
    // A kept page may not be framed; the server allows it where it is asked.
    if (request.destination === 'iframe') return
    if (request.mode === 'navigate' && /^\/waiter\/?$/u.test(pathname)) {
      const opened = openCrewPage(request)
      event.respondWith(opened)
      // Where it could not be kept when the worker was installed.
      event.waitUntil(opened.then(keepCrewPage).catch(() => undefined))
    } else if (pathname.startsWith('/assets/')) event.respondWith(loadAsset(request))
  })

/** The server's page whenever it answers, so that nobody stays on an old version. */
async function openCrewPage(request: Request): Promise<Response> {
  const response = fetch(request)
  const kept = await findKeptPage()
  if (!kept) return await response
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), pageTimeoutMs))
  const first = await Promise.race([response.catch(() => null), late])
  return first && first.status < 500 ? first : kept
}

/** Their names change with their content. */
async function loadAsset(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? (await fetch(request))
}

/** The page of an earlier version while that of this one could not be kept. */
async function findKeptPage(): Promise<Response | undefined> {
  for (const name of (await listCrewCaches()).toReversed()) {
    const page = await (await caches.open(name)).match(crewPath)
    if (page) return page
  }
  return undefined
}

/** The oldest first. */
const listCrewCaches = async (): Promise<string[]> =>
  (await caches.keys()).filter((name) => name.startsWith(crewCachePrefix))

/** The page comes last: where it is, all that it needs is there too. */
async function keepCrewPage(): Promise<void> {
  const name = crewCachePrefix + version
  const cache = await caches.open(name)
  if (!(await cache.match(crewPath))) {
    await cache.addAll([...files])
    const page = await fetch(crewPath, { headers: { accept: 'text/html' } })
    const html = await page.text()
    // While servers are being replaced, one of another version may answer.
    if (!page.ok || !html.includes(files[0] ?? '')) return
    await cache.put(crewPath, markAsKept(page, html))
  }
  const windows = await getWindows()
  const isOpen = windows.some(({ url }) => new URL(url).pathname.startsWith(crewPath))
  const all = await listCrewCaches()
  // What comes after it belongs to a version that waits.
  const old = all.slice(0, all.indexOf(name))
  // A page that is open may still load parts of the version before.
  for (const other of isOpen ? old.slice(0, -1) : old) await caches.delete(other)
}

/** With the server's own headers, among them the policies. */
function markAsKept({ headers: sent }: Response, html: string): Response {
  const headers = new Headers(sent)
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  return new Response(html.replace('<html', '<html data-kept'), { headers })
}

/** How long a push waits for the one before it, whose picture may be loading on a slow network. */
const maxTurnMs = 3_000
let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * One after another, so that a withdrawal finds the alert before it. And while an alert is being shown nobody may read
 * the notifications: Chromium would forget it, and it could never be withdrawn.
 */
function inTurn(task: () => Promise<void>): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, maxTurnMs))
  const done = Promise.race([lastTurn, late]).then(task)
  lastTurn = done.catch(() => undefined)
  return done
}

self.addEventListener('push', (event) => {
  const payload = event.data?.json()
  event.waitUntil(inTurn(() => handlePush(payload)))
})

// The page asks for the one once it shows itself what the notifications say.
self.addEventListener('message', (event) => {
  if (event.data === 'clear-notifications') event.waitUntil(inTurn(clearNotifications))
  if (event.data === 'take-over') event.waitUntil(self.skipWaiting())
})

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  const { navigate, request }: AlertOptions['data'] = notification.data
  notification.close()
  const isButton = action === 'accept' || action === 'complete'
  event.waitUntil(
    isButton && request
      ? speakDeviceLanguage().then(() => act(notification.tag, action, request, navigate))
      : openPage(navigate),
  )
})

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(resubscribe()))

async function handlePush(payload: unknown): Promise<void> {
  if (!isPayload(payload)) return
  const language = await speakDeviceLanguage()
  const { notification, tableside } = payload
  const { tag, title } = notification
  const { need } = tableside
  const body = need ? nameInLanguage(notification.body, need, language) : notification.body
  const translated = {
    notification: { ...notification, ...translateNotification(tag, title, body) },
    tableside,
  }
  await Promise.all([
    setBadge(notification.app_badge),
    tableside.withdraw ? withdrawNotification(translated) : showAlert(translated),
  ])
}

/** Whatever happens to the catalogue, people are called. */
async function speakDeviceLanguage(): Promise<string> {
  const kept = await loadKeptCatalogue(isCrewWorker ? 'staff' : 'portals').catch(() => null)
  const catalogue = kept ?? { language: 'en', texts: {} }
  applyCatalogue(catalogue)
  return catalogue.language
}

type Shown = Pick<PushPayload, 'notification' | 'tableside'>

/** Only our server can send pushes, but a newer version may send another format. */
const isPayload = (value: unknown): value is PushPayload =>
  isObject(value) &&
  'notification' in value &&
  isObject(value.notification) &&
  'tableside' in value &&
  isObject(value.tableside)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

async function showAlert({ notification: { title, body, tag, navigate }, tableside }: Shown) {
  const { urgent, request } = tableside
  const actions = request ? nextSteps(request, await isOwn(request)) : []
  await show(title, {
    body,
    tag,
    actions,
    data: { navigate, ...(request && { request }) },
    requireInteraction: urgent,
    ...loud,
  })
}

const loud = { vibrate: [200, 100, 200], renotify: true }

function show(title: string, options: AlertOptions): Promise<void> {
  return self.registration.showNotification(title, {
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    ...options,
  })
}

/**
 * Browsers require every push to show something, unless a window is visible or another notification was closed. What
 * this device's crew member is on the way to stays, so that it can be marked done.
 */
async function withdrawNotification({ notification, tableside: { request } }: Shown): Promise<void> {
  const { title, body, tag, navigate } = notification
  const [shown, isVisible] = [await self.registration.getNotifications(), await isAnyWindowVisible()]
  if (request && !isVisible && (await isOwn(request))) return showOnTheWay(title, tag, request, navigate)
  const withdrawn = shown.filter((notification) => notification.tag === tag)
  if (withdrawn.length < shown.length || isVisible) for (const notification of withdrawn) notification.close()
  else await show(title, { body, tag, silent: true, data: { navigate } })
}

const showOnTheWay = (title: string, tag: string, request: PushedRequest, navigate: string) =>
  show(title, {
    body: t('You’re on it'),
    tag,
    silent: true,
    actions: nextSteps(request, true),
    data: { navigate, request },
  })

async function clearNotifications(): Promise<void> {
  for (const notification of await self.registration.getNotifications()) notification.close()
}

/** Whether this device's crew member is on the way to it. */
const isOwn = async ({ state, acceptedBy }: PushedRequest): Promise<boolean> =>
  state === 'accepted' && acceptedBy !== null && acceptedBy === (await loadOwner())

function nextSteps({ state }: PushedRequest, isOwn: boolean): Button[] {
  const done = { action: 'complete', title: t('Done') } as const
  if (state === 'waiting') return [{ action: 'accept', title: t('On my way') }, done]
  return isOwn ? [done] : []
}

/** Does what the button says without opening the page, and shows in the notification's place what came of it. */
async function act(
  tag: string,
  action: PushAction['action'],
  request: PushedRequest,
  navigate: string,
): Promise<void> {
  const title = t('Table {table}', { table: request.tableNumber })
  const data = { navigate, request }
  const outcome = await sendAction(request.id, action, () =>
    inTurn(() => show(title, { body: t('Sending…'), tag, silent: true, data })),
  )
  await inTurn(async () => {
    if (outcome === 'unreachable') {
      const body = t('Not sent. Check the connection and tap again.')
      await show(title, { body, tag, actions: nextSteps(request, true), data, ...loud })
    } else if (outcome !== 'done') await show(title, { body: t(outcome.refusal), tag, data, ...loud })
    else if (action === 'accept') await showOnTheWay(title, tag, { ...request, state: 'accepted' }, navigate)
    else for (const shown of await self.registration.getNotifications({ tag })) shown.close()
  })
}

/** Sends it again while the server cannot be reached: it is counted once, however often it arrives. */
async function sendAction(
  requestId: string,
  action: PushAction['action'],
  onWaiting: () => Promise<void>,
): Promise<'done' | 'unreachable' | { refusal: string }> {
  const subscription = await self.registration.pushManager.getSubscription()
  if (!subscription) return { refusal: 'Alerts have ended on this phone. Open Tableside to go on.' }
  const tappedAt = Date.now()
  const giveUpAt = tappedAt + retryMs
  for (const delay of [...retryDelaysMs, null]) {
    const timeLeft = Math.max(0, giveUpAt - Date.now())
    const ageMs = Math.max(0, Date.now() - tappedAt)
    const body: PushAction = { endpoint: subscription.endpoint, requestId, action, ageMs }
    const response = await post('/api/push-actions', body, timeLeft).catch(() => null)
    if (response?.status === 401) return { refusal: 'Open Tableside and sign in again' }
    // What is not JSON is not the server's: the tap may still get through.
    const answer: unknown = await response?.json().catch(() => null)
    if (response && response.status < 500 && response.status !== 429 && isObject(answer)) {
      if (response.ok) return 'done'
      if ('message' in answer) return { refusal: String(answer.message) }
    }
    if (delay === null || Date.now() + delay >= giveUpAt) break
    if (delay === retryDelaysMs[0]) await onWaiting()
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
  return 'unreachable'
}

const post = (
  path: string,
  body: PushAction | NewPushSubscription,
  timeLeft = answerTimeoutMs,
): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(Math.min(answerTimeoutMs, timeLeft)),
  })

const getWindows = (): Promise<PageWindow[]> =>
  self.clients.matchAll({ type: 'window', includeUncontrolled: true })

const isAnyWindowVisible = async (): Promise<boolean> =>
  (await getWindows()).some(({ visibilityState }) => visibilityState === 'visible')

async function setBadge(waiting: number): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  await (waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge()).catch(() => undefined)
}

/** Focuses an open page, or opens a new one. */
async function openPage(navigate: unknown): Promise<void> {
  const scope = self.registration.scope
  const target = typeof navigate === 'string' ? URL.parse(navigate, scope) : null
  const url = target?.origin === new URL(scope).origin ? target : new URL(scope)
  const open = (await getWindows()).find((page) => new URL(page.url).pathname === url.pathname)
  if (open) await open.focus()
  else await self.clients.openWindow(url.href)
}

/** Who gets alerts on this device; the page stored it. */
async function loadOwner(): Promise<string | null> {
  const { pathname } = new URL(self.registration.scope)
  const owner = await (await caches.open('push-owner')).match(pathname)
  return owner ? (await owner.json()).crewMemberId : null
}

/** The browser has replaced the subscription. No page may be open, so the worker itself tells the server. */
async function resubscribe(): Promise<void> {
  const crewMemberId = await loadOwner()
  const response = await fetch('/api/push-key')
  if (!response.ok) return
  const { publicKey } = await response.json()
  const subscription = await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  const audience = new URL(self.registration.scope).pathname === '/waiter' ? 'crew' : 'manager'
  await post('/api/push-subscriptions', { endpoint, keys: { p256dh, auth }, audience, crewMemberId })
}
