import type { Page, Worker } from 'playwright-core'

/**
 * Lets the page show notifications. The browser from npm grants the permission but shows none, so a fake keeps them
 * in a cache of the origin, which the page and its service worker share.
 */
export async function allowNotifications(page: Page): Promise<void> {
  const context = page.context()
  await context.grantPermissions(['notifications'])
  await context.addInitScript(fakeNotifications)
  // Fails for a worker that ends with its page.
  const install = (worker: Worker): void => void worker.evaluate(fakeNotifications).catch(() => undefined)
  context.on('serviceworker', install)
}

/** Runs in the page and in its service worker. */
function fakeNotifications(): void {
  const isSecure = typeof ServiceWorkerRegistration !== 'undefined' && typeof Notification !== 'undefined'
  if (!isSecure || Notification.permission === 'granted') return
  type Kept = NotificationOptions & { id: string; title: string; scope: string }
  const [cache, entry] = ['shown-notifications', '/shown-notifications']

  const change = (work: (list: Kept[]) => Kept[]): Promise<Kept[]> =>
    navigator.locks.request(cache, async () => {
      const store = await caches.open(cache)
      const before = await store.match(entry)
      const after = work(before ? ((await before.json()) as Kept[]) : [])
      await store.put(entry, new Response(JSON.stringify(after)))
      return after
    })

  // This browser has no app badge either, and crashes when a worker clears it.
  const done = async (): Promise<void> => {}
  Object.assign(navigator, { setAppBadge: done, clearAppBadge: done })
  Object.defineProperty(Notification, 'permission', { configurable: true, get: () => 'granted' })
  Object.assign(Notification, { requestPermission: async () => 'granted' })
  Object.assign(ServiceWorkerRegistration.prototype, {
    async showNotification(
      this: ServiceWorkerRegistration,
      title: string,
      options: NotificationOptions = {},
    ) {
      const { scope } = this
      const usual = { body: '', tag: '', silent: null, requireInteraction: false, data: null }
      const shown: Kept = { ...usual, ...options, id: crypto.randomUUID(), title, scope }
      const isReplaced = (notification: Kept): boolean =>
        notification.scope === scope && shown.tag !== '' && notification.tag === shown.tag
      await change((list) => [...list.filter((notification) => !isReplaced(notification)), shown])
    },
    async getNotifications(this: ServiceWorkerRegistration, { tag }: { tag?: string } = {}) {
      const list = await change((before) => before)
      const matching = list.filter(
        (notification) =>
          notification.scope === this.scope && (tag === undefined || notification.tag === tag),
      )
      return matching.map((notification) => ({
        ...notification,
        close: () => void change((before) => before.filter(({ id }) => id !== notification.id)),
      }))
    },
  })
}
