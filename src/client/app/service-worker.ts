import type { NewPushSubscription, PushPayload } from '#contract/push.ts'

/** What a service worker has that a page has not, as far as this one needs it. */
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
type Extendable = { waitUntil(work: Promise<unknown>): void }
type Events = {
  install: Extendable
  push: Extendable & { data: { json(): unknown } | null }
  notificationclick: Extendable & { notification: Notification }
  pushsubscriptionchange: Extendable
}
/** What browsers know and the DOM's types have not. */
type AlertOptions = NotificationOptions & { vibrate?: number[]; renotify?: boolean }

// No page waits for this worker and none is served by it: it has no `fetch` handler, so a new one may start at once.
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

/** The server alone can write to us, but a newer one may write otherwise. */
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

/** Browsers want every push to leave something in sight; where something is, the alert simply goes. */
async function withdrawNotification(payload: PushPayload): Promise<void> {
  const { title, tag } = payload.notification
  const shown = await self.registration.getNotifications()
  const over = shown.filter((one) => one.tag === tag)
  if (over.length < shown.length || (await isAnyWindowVisible())) for (const one of over) one.close()
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

/** The page that is open already, or a new one. */
async function openPage(navigate: unknown): Promise<void> {
  const scope = self.registration.scope
  const wanted = typeof navigate === 'string' ? URL.parse(navigate, scope) : null
  const url = wanted?.origin === new URL(scope).origin ? wanted : new URL(scope)
  const there = (await getWindows()).find((one) => new URL(one.url).pathname === url.pathname)
  if (there) await there.focus()
  else await self.clients.openWindow(url.href)
}

/** The browser took the old subscription away. Nobody looks at a page now, so this is told from here. */
async function resubscribe(): Promise<void> {
  const { pathname } = new URL(self.registration.scope)
  const known = await (await caches.open('push-owner')).match(pathname)
  const answer = await fetch('/api/push-key')
  if (!answer.ok) return
  const { crewMemberId } = known ? await known.json() : { crewMemberId: null }
  const { publicKey } = await answer.json()
  const subscription = await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  const audience = pathname === '/waiter' ? 'crew' : 'manager'
  const told: NewPushSubscription = { endpoint, keys: { p256dh, auth }, audience, crewMemberId }
  await fetch('/api/push-subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(told),
  })
}
