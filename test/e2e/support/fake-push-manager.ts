import type { Page, Worker } from 'playwright-core'
import { vi } from 'vitest'
import type { FakePushDevice } from '../../support/outside/push-service.ts'
import { allowNotifications } from './notifications.ts'

/**
 * A headless browser cannot subscribe to its vendor's push service, so this replaces the push manager's
 * subscription by one at a test endpoint. Everything else is the browser's own. `held`: the push service does not
 * answer before `answerPushSubscription`.
 */
export async function fakePushSubscription(
  page: Page,
  { endpoint, keys }: Pick<FakePushDevice, 'endpoint' | 'keys'>,
  { held = false } = {},
): Promise<void> {
  await allowNotifications(page)
  await page.addInitScript(
    ([endpoint, keys, held]) => {
      const store = 'subscribed-with'
      const subscription = () => {
        const key = localStorage.getItem(store)
        if (key === null) return null
        const bytes = Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
          letter.charCodeAt(0),
        )
        return {
          endpoint,
          options: { applicationServerKey: bytes.buffer, userVisibleOnly: true },
          toJSON: () => ({ endpoint, keys }),
          unsubscribe: async () => {
            localStorage.removeItem(store)
            return true
          },
        }
      }
      Object.assign(PushManager.prototype, {
        getSubscription: async () => subscription(),
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
          if (held) await new Promise((resolve) => Object.assign(window, { answerPush: resolve }))
          localStorage.setItem(store, applicationServerKey)
          return subscription()
        },
      })
      const clearAppBadge = Reflect.get(navigator, 'clearAppBadge')
      Object.assign(navigator, {
        async clearAppBadge() {
          Object.assign(window, { hasCleared: true })
          if (clearAppBadge) await Reflect.apply(clearAppBadge, navigator, [])
        },
      })
    },
    [endpoint, keys, held] as const,
  )
}

/** Lets the push service answer a held subscription. */
export async function answerPushSubscription(page: Page): Promise<void> {
  await page.waitForFunction(() => 'answerPush' in window)
  await page.evaluate('answerPush()')
}

export type ShownNotification = {
  title: string
  body: string
  tag: string
  silent: boolean
  stays: boolean
  opens: string
  buttons: string[]
}

/** The service worker of this scope, once it has started. */
export async function findServiceWorker(page: Page, scope: string): Promise<Worker> {
  const scopeOf = (worker: Worker) =>
    worker
      .evaluate(() => new URL(Reflect.get(self, 'registration').scope).pathname)
      // One that another takes the place of may end meanwhile.
      .catch(() => null)
  const find = async (): Promise<Worker | undefined> => {
    for (const worker of page.context().serviceWorkers()) if ((await scopeOf(worker)) === scope) return worker
    return undefined
  }
  return await vi.waitUntil(find, { timeout: 20_000 })
}

/** Runs in the service worker, where `pushes` then holds what was done about each push, in the order of arrival. */
function recordPushes(): void {
  const pushes: Promise<unknown>[] = []
  const listeners: (() => void)[] = []
  type PushEvent = Event & { waitUntil(task: Promise<unknown>): void }
  const { prototype }: { prototype: PushEvent } = Reflect.get(self, 'ExtendableEvent')
  const waitUntil = Object.getOwnPropertyDescriptor(prototype, 'waitUntil')?.value
  prototype.waitUntil = function (task) {
    Reflect.apply(waitUntil, this, [task])
    if (this.type !== 'push') return
    pushes.push(task)
    for (const tell of listeners.splice(0)) tell()
  }
  const whenHandled = async (index: number): Promise<void> => {
    while (pushes.length <= index) await new Promise<void>((resolve) => listeners.push(resolve))
    await pushes[index]
  }
  Object.assign(self, { whenHandled })
}

/** Delivers what the push service received to the browser's service worker. */
export async function createPushSender(page: Page, scope: string) {
  const worker = await findServiceWorker(page, scope)
  await worker.evaluate(recordPushes)
  // A page that has just opened clears what was shown before.
  await page.waitForFunction(() => 'hasCleared' in window)
  const cdp = await page.context().newCDPSession(page)
  const registered = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const found = registrations.find(({ scopeURL }) => new URL(scopeURL).pathname === scope)
    if (found) registered.resolve(found.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered.promise
  let delivered = 0

  const send = async (payload: unknown): Promise<number> => {
    const { origin } = new URL(page.url())
    await cdp.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(payload),
    })
    return delivered++
  }
  const whenHandled = (index: number): Promise<void> =>
    worker.evaluate(async (index) => await Reflect.get(self, 'whenHandled')(index), index)

  return {
    worker,
    /** Resolves once the worker has handled it: Chromium forgets an alert that is being shown while somebody reads the list. */
    async deliver(payload: unknown): Promise<void> {
      await whenHandled(await send(payload))
    },
    /** One right after the other. */
    async deliverTogether(...payloads: unknown[]): Promise<void> {
      for (const index of await Promise.all(payloads.map(send))) await whenHandled(index)
    },
    shown: (): Promise<ShownNotification[]> =>
      page.evaluate(async (scope) => {
        const registration = await navigator.serviceWorker.getRegistration(scope)
        const notifications = (await registration?.getNotifications()) ?? []
        type Shown = Notification & { actions?: { title: string }[] }
        return notifications.map(
          ({ title, body, tag, silent, requireInteraction, data, actions = [] }: Shown) => ({
            title,
            body,
            tag,
            silent: silent === true,
            stays: requireInteraction,
            opens: new URL(data.navigate).pathname,
            buttons: actions.map((button) => button.title),
          }),
        )
      }, scope),
    closeAll: (): Promise<void> =>
      page.evaluate(async (scope) => {
        const registration = await navigator.serviceWorker.getRegistration(scope)
        for (const notification of (await registration?.getNotifications()) ?? []) notification.close()
      }, scope),
    /** Taps the button of the only notification, as on a locked phone. */
    async tap(button: string): Promise<void> {
      await worker.evaluate(async (button) => {
        const registration: ServiceWorkerRegistration = Reflect.get(self, 'registration')
        const [notification] = await registration.getNotifications()
        const actions: { action: string; title: string }[] = Reflect.get(notification ?? {}, 'actions')
        const action = actions.find(({ title }) => title === button)?.action
        const done: Promise<unknown>[] = []
        const waitUntil = (task: Promise<unknown>) => void done.push(task)
        self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, action, waitUntil }))
        await Promise.all(done)
      }, button)
    },
  }
}
