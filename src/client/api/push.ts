import { api } from '#contract/api.ts'
import type { PushAudience } from '#contract/push.ts'
import { trustScriptUrl } from '../lib/browser/script-url.ts'
import { Listeners } from '../lib/listeners.ts'
import { ApiError, call } from './http.ts'

export type PushState =
  /** No service worker or no push here; on an iPhone also a page outside the Home Screen. */
  | { state: 'unsupported' }
  | { state: 'off' }
  /** The browser refuses; only its settings help. */
  | { state: 'denied' }
  /** Subscribed, and the server stored it. */
  | { state: 'on' }

/** One worker for each audience, so that a browser that is both keeps two subscriptions. */
const workerScopes: Record<PushAudience, string> = { crew: '/waiter', manager: '/management-dashboard' }

/** Tells the service worker whose device this is, for when the browser renews its subscription. */
const ownerCacheName = 'push-owner'

/** A device in use renews its subscription on the server this often at most. */
const syncIntervalMs = 5 * 60_000

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

type Task = (registration: ServiceWorkerRegistration, switchedOff: AbortSignal) => Promise<PushState>

/** How long a task or a screen waits for the browser's push service, which may never answer. */
const answerTimeoutMs = 10_000

/** For each audience the last task, which may be of a page that was left. */
const lastTasks: Record<PushAudience, Promise<unknown>> = {
  crew: Promise.resolve(),
  manager: Promise.resolve(),
}

/** Whether alerts were switched on last, or off, also by a page that was left since. */
const isWanted: Record<PushAudience, boolean> = { crew: false, manager: false }

/** This browser's subscription for one audience, and what the server knows of it. */
export class PushDevice {
  #audience: PushAudience
  #push: PushState
  /** The id of the subscription on the server. */
  #id: string | null = null
  #storedAt = 0
  #storing: Promise<void> = Promise.resolve()
  /** Whether the server may know this device: from an earlier page, until the browser says that it does not. */
  #mayBeStored = isSupported() && Notification.permission === 'granted'
  #crewMemberId: string | null = null
  /** What somebody has answered, once they have, when the browser asked whether to allow alerts. */
  #permission: Promise<NotificationPermission> | null = null
  /** Aborted by switching off: whatever was going on then stores nothing any more. */
  #switchedOff = new AbortController()
  #listeners = new Listeners()
  readonly onChange = this.#listeners.add

  constructor(audience: PushAudience) {
    this.#audience = audience
    this.#push = unsubscribedState()
  }

  get push(): PushState {
    return this.#push
  }

  /** For when the page opens, or somebody else works at it. */
  async sync(crewMemberId: string | null): Promise<void> {
    this.#crewMemberId = crewMemberId
    await this.#enqueue(async (registration, switchedOff) => {
      const known = await registration.pushManager.getSubscription()
      this.#mayBeStored = known !== null
      if (!known) return unsubscribedState()
      return await this.#store(await ensureSubscription(registration, known), switchedOff)
    })
  }

  /** For when the page is looked at again. */
  async syncIfDue(): Promise<void> {
    const isStored = this.#push.state === 'on' && Date.now() - this.#storedAt < syncIntervalMs
    if (!isStored) await this.sync(this.#crewMemberId)
  }

  /** Must be called from a tap: only then does the browser ask for permission. */
  async switchOn(crewMemberId: string | null): Promise<PushState> {
    if (!isSupported()) return this.#push
    isWanted[this.#audience] = true
    this.#crewMemberId = crewMemberId
    const permission = requestPermission()
    this.#permission = permission
    return await this.#enqueue(async (registration, switchedOff) =>
      (await permission) === 'granted'
        ? await this.#store(await ensureSubscription(registration, null), switchedOff)
        : unsubscribedState(),
    )
  }

  /** What `switchOn` has come to at most 10 seconds after somebody allowed alerts. A late answer still turns them on. */
  async switchOnInTime(crewMemberId: string | null): Promise<PushState> {
    const switchedOn = this.switchOn(crewMemberId)
    await this.#permission
    await orTimeout(switchedOn)
    return this.#push
  }

  /** Waits for the browser, whose push service may never answer, only if the server cannot be told. */
  async switchOff(): Promise<void> {
    isWanted[this.#audience] = false
    this.#switchedOff.abort()
    this.#switchedOff = new AbortController()
    const unsubscribed = this.#enqueue(async (registration) => {
      await (await registration.pushManager.getSubscription())?.unsubscribe()
      return unsubscribedState()
    })
    if (await this.#removeFromServer()) this.#setState(unsubscribedState())
    else await orTimeout(unsubscribed)
  }

  /** False if the server may still know this device. */
  async #removeFromServer(): Promise<boolean> {
    await this.#storing.catch(() => undefined)
    const id = this.#id
    this.#id = null
    if (id === null) return !this.#mayBeStored
    const isRemoved = await call(api.push.unsubscribe, { params: { id } }).then(() => true, isClientError)
    this.#mayBeStored = !isRemoved
    return isRemoved
  }

  async #store(subscription: PushSubscription, switchedOff: AbortSignal): Promise<PushState> {
    const { endpoint, keys } = subscription.toJSON()
    const { p256dh, auth } = keys ?? {}
    if (endpoint === undefined || p256dh === undefined || auth === undefined) return unsubscribedState()
    const crewMemberId = this.#crewMemberId
    // Without a stored owner, a subscription that the browser renews has none until the page is opened again.
    await storeOwner(this.#audience, crewMemberId).catch(() => undefined)
    const body = { endpoint, keys: { p256dh, auth }, audience: this.#audience, crewMemberId }
    if (switchedOff.aborted) {
      // Otherwise the next page would find it and store it.
      if (!isWanted[this.#audience]) await subscription.unsubscribe()
      return this.#push
    }
    this.#mayBeStored = true
    this.#storing = call(api.push.subscribe, { body }).then(({ id }) => {
      this.#id = id
      this.#storedAt = Date.now()
    })
    await this.#storing
    return { state: 'on' }
  }

  /**
   * Runs tasks one after another. A failed task leaves alerts off, unless they were on and the server was only
   * unreachable. It never rejects.
   */
  #enqueue(task: Task): Promise<PushState> {
    const { signal } = this.#switchedOff
    const next = orTimeout(lastTasks[this.#audience]).then(async () => {
      if (!isSupported()) return this.#push
      const push = await registerWorker(this.#audience)
        .then((registration) => task(registration, signal))
        .catch((error: unknown) => (isClientError(error) ? unsubscribedState() : this.#stateAfterOutage()))
      return this.#setState(push)
    })
    lastTasks[this.#audience] = next
    return next
  }

  #stateAfterOutage(): PushState {
    return this.#push.state === 'on' ? this.#push : unsubscribedState()
  }

  #setState(push: PushState): PushState {
    if (push.state === this.#push.state) return this.#push
    this.#push = push
    this.#listeners.tell()
    return push
  }
}

const orTimeout = (task: Promise<unknown>): Promise<unknown> =>
  Promise.race([task, new Promise((resolve) => setTimeout(resolve, answerTimeoutMs))])

const isClientError = (error: unknown): boolean => error instanceof ApiError && error.status < 500

function unsubscribedState(): PushState {
  if (!isSupported()) return { state: 'unsupported' }
  return { state: Notification.permission === 'denied' ? 'denied' : 'off' }
}

async function requestPermission(): Promise<NotificationPermission> {
  return await Notification.requestPermission().catch((): NotificationPermission => 'denied')
}

/** Also keeps the crew's page, so that it opens without a network. */
export async function registerWorker(audience: PushAudience): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(serviceWorkerUrl(), {
    scope: workerScopes[audience],
  })
  if (!registration.active) await waitUntilActive(registration)
  return registration
}

async function waitUntilActive({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  if (!worker) return
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('The service worker did not start'))
    }
    worker.addEventListener('statechange', check)
    check()
  })
}

/** A subscription that was made for another key of the server is replaced. */
async function ensureSubscription(
  registration: ServiceWorkerRegistration,
  known: PushSubscription | null,
): Promise<PushSubscription> {
  const { publicKey } = await call(api.push.key)
  if (known && usesKey(known, publicKey)) return known
  const old = known ?? (await registration.pushManager.getSubscription())
  if (old && usesKey(old, publicKey)) return old
  await old?.unsubscribe()
  return await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
}

function usesKey({ options }: PushSubscription, publicKey: string): boolean {
  const key = options.applicationServerKey
  return key !== null && toBase64Url(new Uint8Array(key)) === publicKey
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/u, '')

/** Leaves it to the worker, which does it between two pushes. */
export async function clearNotifications(audience: PushAudience): Promise<void> {
  if (!isSupported()) return
  const registration = await navigator.serviceWorker.getRegistration(workerScopes[audience])
  registration?.active?.postMessage('clear-notifications')
  if ('clearAppBadge' in navigator) await navigator.clearAppBadge().catch(() => undefined)
}

async function storeOwner(audience: PushAudience, crewMemberId: string | null): Promise<void> {
  const cache = await caches.open(ownerCacheName)
  await cache.put(workerScopes[audience], new Response(JSON.stringify({ crewMemberId })))
}

const serviceWorkerPath = '/service-worker.js'

let trustedUrl: string | undefined

const serviceWorkerUrl = (): string => (trustedUrl ??= trustScriptUrl(serviceWorkerPath))
