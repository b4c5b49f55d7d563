import { api } from '#contract/api.ts'
import type { PushAudience } from '#contract/push.ts'
import { ApiError, call } from './http.ts'
import { serviceWorkerUrl } from './service-worker-url.ts'

export type Push =
  /** No service worker or no push here; on an iPhone also a page outside the Home Screen. */
  | { state: 'unsupported' }
  | { state: 'off' }
  /** The browser refuses; only its settings help. */
  | { state: 'denied' }
  /** Subscribed, and the server stored it. */
  | { state: 'on' }

/** One worker for each audience, so that a browser that is both keeps two subscriptions. Guests' pages have none. */
const scopes: Record<PushAudience, string> = { crew: '/waiter', manager: '/management-dashboard' }

/** Where the service worker finds whose device this is, when the browser renews its subscription. */
const ownerCache = 'push-owner'

/** A device that is looked at says so to the server this often at most, in milliseconds. */
const tellAgainMs = 5 * 60_000

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** This browser's subscription for one audience, and what the server knows of it. */
export class PushDevice {
  #audience: PushAudience
  #push: Push
  /** As the server stored it. */
  #id: string | null = null
  #toldAt = 0
  #crewMemberId: string | null = null
  #last: Promise<unknown> = Promise.resolve()
  #listeners = new Set<() => void>()

  constructor(audience: PushAudience) {
    this.#audience = audience
    this.#push = resting()
  }

  get push(): Push {
    return this.#push
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The page opened, or somebody else works with it. */
  async tell(crewMemberId: string | null): Promise<void> {
    this.#crewMemberId = crewMemberId
    await this.#inTurn(async (registration) => {
      if (document.visibilityState === 'visible') await clearAway(this.#audience)
      const known = await registration.pushManager.getSubscription()
      return known ? await this.#store(await renewed(registration, known)) : resting()
    })
  }

  /** Somebody looks at the page again. */
  async tellAgain(): Promise<void> {
    if (this.#push.state === 'on') await clearAway(this.#audience)
    const isTold = this.#push.state === 'on' && Date.now() - this.#toldAt < tellAgainMs
    if (!isTold) await this.tell(this.#crewMemberId)
  }

  /** To be called from a tap: the browser asks for permission then only. */
  async switchOn(crewMemberId: string | null): Promise<Push> {
    if (!isSupported()) return this.#push
    this.#crewMemberId = crewMemberId
    const permission = await askPermission()
    return await this.#inTurn(async (registration) =>
      permission === 'granted' ? await this.#store(await renewed(registration, null)) : resting(),
    )
  }

  async switchOff(): Promise<void> {
    await this.#inTurn(async (registration) => {
      const subscription = await registration.pushManager.getSubscription()
      const id = this.#id
      this.#id = null
      if (id !== null) await call(api.push.unsubscribe, { params: { id } }).catch(() => undefined)
      await subscription?.unsubscribe()
      return resting()
    })
  }

  async #store(subscription: PushSubscription): Promise<Push> {
    const { endpoint, keys } = subscription.toJSON()
    const { p256dh, auth } = keys ?? {}
    if (endpoint === undefined || p256dh === undefined || auth === undefined) return resting()
    const crewMemberId = this.#crewMemberId
    // Without it a renewed subscription is nobody's in particular until the page is opened again.
    await noteOwner(this.#audience, crewMemberId).catch(() => undefined)
    const body = { endpoint, keys: { p256dh, auth }, audience: this.#audience, crewMemberId }
    const { id } = await call(api.push.subscribe, { body })
    this.#id = id
    this.#toldAt = Date.now()
    return { state: 'on' }
  }

  /**
   * One after another. What fails leaves it off, unless it was on and the server only could not be reached: nothing of
   * it may stop the page.
   */
  #inTurn(work: (registration: ServiceWorkerRegistration) => Promise<Push>): Promise<Push> {
    const next = this.#last.then(async () => {
      if (!isSupported()) return this.#push
      const push = await register(this.#audience)
        .then(work)
        .catch((problem: unknown) => (isRefused(problem) ? resting() : this.#unlessOn()))
      return this.#become(push)
    })
    this.#last = next
    return next
  }

  #unlessOn(): Push {
    return this.#push.state === 'on' ? this.#push : resting()
  }

  #become(push: Push): Push {
    if (push.state === this.#push.state) return this.#push
    this.#push = push
    for (const listener of this.#listeners) listener()
    return push
  }
}

const isRefused = (problem: unknown): boolean => problem instanceof ApiError && problem.status < 500

/** How it is without a subscription. */
function resting(): Push {
  if (!isSupported()) return { state: 'unsupported' }
  return { state: Notification.permission === 'denied' ? 'denied' : 'off' }
}

async function askPermission(): Promise<NotificationPermission> {
  return await Notification.requestPermission().catch((): NotificationPermission => 'denied')
}

async function register(audience: PushAudience): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(serviceWorkerUrl(), {
    scope: scopes[audience],
  })
  if (!registration.active) await activated(registration)
  return registration
}

async function activated({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  if (!worker) return
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('The service worker did not start'))
    }
    worker.addEventListener('statechange', look)
    look()
  })
}

/** The subscription that this server may write to: one that was made for another key is of no use to it. */
async function renewed(
  registration: ServiceWorkerRegistration,
  known: PushSubscription | null,
): Promise<PushSubscription> {
  const { publicKey } = await call(api.push.key)
  if (known && isFor(known, publicKey)) return known
  const old = known ?? (await registration.pushManager.getSubscription())
  if (old && isFor(old, publicKey)) return old
  await old?.unsubscribe()
  return await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
}

function isFor({ options }: PushSubscription, publicKey: string): boolean {
  const key = options.applicationServerKey
  return key !== null && toBase64Url(new Uint8Array(key)) === publicKey
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/u, '')

/** What the notifications say, the page says better. */
async function clearAway(audience: PushAudience): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(scopes[audience])
  for (const notification of (await registration?.getNotifications()) ?? []) notification.close()
  if ('clearAppBadge' in navigator) await navigator.clearAppBadge().catch(() => undefined)
}

async function noteOwner(audience: PushAudience, crewMemberId: string | null): Promise<void> {
  const cache = await caches.open(ownerCache)
  await cache.put(scopes[audience], new Response(JSON.stringify({ crewMemberId })))
}
