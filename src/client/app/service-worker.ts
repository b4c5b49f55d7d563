import type { NewPushSubscription, PushPayload } from '#contract/push.ts'

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
  push: Extendable & { data: { json(): unknown } | null }
  notificationclick: Extendable & { notification: Notification }
  pushsubscriptionchange: Extendable
}
/** Supported by browsers, but missing in the DOM's types. */
type AlertOptions = NotificationOptions & { vibrate?: number[]; renotify?: boolean }

// It has no `fetch` handler, so no page depends on it and a new version may start at once.
self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()))

self.addEventListener('push', (event) => event.waitUntil(handlePush(event.data?.json())))

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(event.notification.data))
})

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(resubscribe()))

async function handlePush(payload: unknown): Promise<void> {
  if (!isPayload(payload)) return
  const { notification, tableside } = payload
  await Promise.all([
    setBadge(notification.app_badge),
    tableside.withdraw
      ? withdrawNotification(payload)
      : self.registration.showNotification(...alertNotification(payload)),
  ])
}

/** Only our server can send pushes, but a newer version may send another format. */
const isPayload = (value: unknown): value is PushPayload =>
  isObject(value) &&
  'notification' in value &&
  isObject(value.notification) &&
  'tableside' in value &&
  isObject(value.tableside)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function notificationOptions({ notification: { body, tag, navigate } }: PushPayload): AlertOptions {
  return { body, tag, data: navigate, icon: '/icon-192.png', badge: '/badge-96.png' }
}

function alertNotification(payload: PushPayload): [title: string, options: AlertOptions] {
  const requireInteraction = payload.tableside.urgent
  return [
    payload.notification.title,
    { ...notificationOptions(payload), vibrate: [200, 100, 200], renotify: true, requireInteraction },
  ]
}

/** Browsers require every push to show something, unless a window is visible or another notification was closed. */
async function withdrawNotification(payload: PushPayload): Promise<void> {
  const { title, tag } = payload.notification
  const shown = await self.registration.getNotifications()
  const withdrawn = shown.filter((notification) => notification.tag === tag)
  if (withdrawn.length < shown.length || (await isAnyWindowVisible()))
    for (const notification of withdrawn) notification.close()
  else await self.registration.showNotification(title, { ...notificationOptions(payload), silent: true })
}

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

/** The browser has replaced the subscription. No page may be open, so the worker itself tells the server. */
async function resubscribe(): Promise<void> {
  const { pathname } = new URL(self.registration.scope)
  const owner = await (await caches.open('push-owner')).match(pathname)
  const response = await fetch('/api/push-key')
  if (!response.ok) return
  const { crewMemberId } = owner ? await owner.json() : { crewMemberId: null }
  const { publicKey } = await response.json()
  const subscription = await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  const audience = pathname === '/waiter' ? 'crew' : 'manager'
  const body: NewPushSubscription = { endpoint, keys: { p256dh, auth }, audience, crewMemberId }
  await fetch('/api/push-subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
