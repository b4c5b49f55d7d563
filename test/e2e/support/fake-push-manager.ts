import type { Page } from 'playwright-core'
import type { FakePushDevice } from '../../support/push-service.ts'
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
}

/** Delivers what the push service received to the browser's service worker. */
export async function createPushSender(page: Page, scope: string) {
  const cdp = await page.context().newCDPSession(page)
  const registered = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const found = registrations.find(({ scopeURL }) => new URL(scopeURL).pathname === scope)
    if (found) registered.resolve(found.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered.promise

  return {
    async deliver(payload: unknown): Promise<void> {
      const { origin } = new URL(page.url())
      await cdp.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: JSON.stringify(payload),
      })
    },
    shown: (): Promise<ShownNotification[]> =>
      page.evaluate(async (scope) => {
        const registration = await navigator.serviceWorker.getRegistration(scope)
        const notifications = (await registration?.getNotifications()) ?? []
        return notifications.map(({ title, body, tag, silent, requireInteraction, data }) => ({
          title,
          body,
          tag,
          silent: silent === true,
          stays: requireInteraction,
          opens: new URL(data).pathname,
        }))
      }, scope),
  }
}
