/** Opens the guest page at once on the next visits: see `docs/decisions/048-second-visit.md`. */

/** The part of a service worker's global scope that this one needs. */
declare const self: {
  registration: ServiceWorkerRegistration
  clients: { matchAll(which: { type: 'window'; includeUncontrolled: true }): Promise<{ url: string }[]> }
  skipWaiting(): Promise<void>
  addEventListener<T extends keyof Events>(type: T, listener: (event: Events[T]) => void): void
}
type Extendable = { waitUntil(task: Promise<unknown>): void }
type Events = {
  install: Extendable
  activate: Extendable
  message: Extendable & { data: unknown }
  fetch: Extendable & { request: Request; respondWith(response: Promise<Response>): void }
}

/** The guest page in this build, its script first. Written by `scripts/build.ts`. */
declare const guestPage: { version: string; files: readonly string[] }

const { version, files } = guestPage
const path = '/customer'
const cachePrefix = 'guest-'
const filesName = `${cachePrefix}files-${version}`
const pagesName = `${cachePrefix}pages-${version}`
const cardPath = '/customer/card'
/** Shared by all versions of the page. */
const cardsName = `${cachePrefix}cards`
/** As many as a device has visits. */
const maxPages = 8
/** A broken Wi-Fi does not refuse, it hangs. */
const pageTimeoutMs = 3_000

/** A slow phone is to paint the page, and take a tap, before it runs the script: taps count without it. */
const scriptDelayMs = 150

/** A page that was fetched before all were forgotten must not be kept. */
let forgotten = 0

// A new version waits until no page is open, or until the page that is open says so: see `lib/browser/new-worker.ts`.
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(filesName).then((cache) => cache.addAll([...files])))
})

self.addEventListener('message', (event) => {
  if (event.data === 'take-over') event.waitUntil(self.skipWaiting())
})

// A visit waits until this has ended, so it must not wait for the network.
self.addEventListener('activate', (event) =>
  event.waitUntil(deleteOldVersion().then(() => void keepOpenPages().catch(() => undefined))),
)

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== new URL(self.registration.scope).origin) return
  // A kept page may not be framed; the server allows it where it is asked.
  if (request.destination === 'iframe') return
  if (request.mode === 'navigate' && url.pathname === path) {
    const table = tableOf(url)
    if (url.searchParams.has('lang')) event.respondWith(forgetPages().then(() => fetch(request)))
    else if (table !== null) event.respondWith(openPage(event, table))
  } else if (request.mode === 'navigate' && url.pathname === cardPath) {
    event.respondWith(openCard(event))
  } else if (url.pathname.startsWith('/assets/')) event.respondWith(loadFile(request))
})

/** Its files go too: a kept page is opened only with the script it was made for. */
async function deleteOldVersion(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(cachePrefix) && ![filesName, pagesName, cardsName].includes(name))
      await caches.delete(name)
}

/** They were opened without this worker. The way back from a card leads to the page of its table. */
async function keepOpenPages(): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const urls = windows.map(({ url }) => new URL(url))
  const before = forgotten
  for (const { href } of urls.filter(({ pathname }) => pathname === cardPath)) {
    const card = await fetch(href, { redirect: 'manual' })
    if (before === forgotten) await keepCard(href, card)
  }
  const pages = urls.filter(({ pathname }) => [path, cardPath].includes(pathname))
  for (const table of new Set(pages.map(tableOf))) if (table !== null) await keepPage(table)
}

/**
 * The address of the page as it is kept, named by the browser's languages too, as the server chooses by them. Null if
 * the address says more than a table.
 */
function tableOf({ searchParams }: URL): string | null {
  const [r = '', t = ''] = ['r', 't'].map((name) => searchParams.get(name)?.trim())
  if (r === '' || t === '' || [...searchParams.keys()].some((name) => !['r', 't', 'k'].includes(name)))
    return null
  const query = new URLSearchParams({ r, t, kept: navigator.languages.join() || 'en' })
  return `${path}?${query.toString()}`
}

/** Opens no cache, which would bring back one that has been deleted. */
const findKept = (cacheName: string, request: RequestInfo): Promise<Response | undefined> =>
  caches.match(request, { cacheName, ignoreVary: true })

/** What is kept, at once. Whoever reloads the page asks the server first. */
async function openPage(event: Events['fetch'], table: string): Promise<Response> {
  const kept = await findKept(pagesName, table)
  const isReload = !['default', 'force-cache'].includes(event.request.cache)
  if (kept && !isReload) {
    event.waitUntil(keepPage(table).catch(() => undefined))
    return kept
  }
  const response = fetch(event.request)
  event.waitUntil(response.then(() => keepPage(table)).catch(() => undefined))
  return await answerOr(kept, response)
}

/** The guest card that was seen last, where the server cannot be reached. */
async function openCard(event: Events['fetch']): Promise<Response> {
  const { request } = event
  const kept = await findKept(cardsName, request)
  const response = fetch(request)
  const before = forgotten
  const copy = response.then((card) => card.clone())
  event.waitUntil(
    copy.then((card) => (before === forgotten ? keepCard(request, card) : undefined)).catch(() => undefined),
  )
  return await answerOr(kept, response)
}

async function keepCard(request: RequestInfo, card: Response): Promise<void> {
  if (!card.ok) return
  await caches.delete(cardsName)
  await (await caches.open(cardsName)).put(request, card)
}

/** What is kept only stands in for an answer that does not come. */
async function answerOr(kept: Response | undefined, response: Promise<Response>): Promise<Response> {
  if (!kept) return await response
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), pageTimeoutMs))
  const first = await Promise.race([response.catch(() => null), late])
  return first && first.status < 500 ? first : kept
}

/** Their names change with their content. */
async function loadFile(request: Request): Promise<Response> {
  const kept = await findKept(filesName, request)
  if (!kept) return await fetch(request)
  if (request.destination === 'script') await new Promise((resolve) => setTimeout(resolve, scriptDelayMs))
  return kept
}

/** Replaces what is kept by the server's own. What the server no longer has, or has for another version, goes. */
async function keepPage(table: string): Promise<void> {
  const before = forgotten
  const response = await fetch(table, { cache: 'no-store' }).catch(() => null)
  if (!response || response.status >= 500 || response.status === 429) return
  if (response.status === 410) return leave()
  const html = response.ok ? markSkew(await response.text()) : null
  if (before !== forgotten) return
  // Both at once: what is opened now and deleted meanwhile keeps nothing.
  const [pages, parts] = await Promise.all([caches.open(pagesName), caches.open(filesName)])
  if (html === null || !html.includes(files[0] ?? '')) {
    await pages.delete(table)
    return
  }
  // What is kept stays until this can take its place: a visit may come meanwhile.
  await keepParts(html, parts)
  // With the server's own headers, among them the policies.
  const headers = new Headers(response.headers)
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  await pages.put(table, new Response(html, { headers }))
  for (const old of (await pages.keys()).slice(0, -maxPages)) await pages.delete(old)
}

/** The other scripts that this restaurant's page loads, such as the tiles of its own needs. */
async function keepParts(html: string, cache: Cache): Promise<void> {
  for (const file of new Set(html.match(/\/assets\/[\w-]+\.js/gu)))
    if (!(await cache.match(file))) await cache.add(file)
}

/** How far the server's clock is ahead. Null for a page that is not made to be kept. */
function markSkew(html: string): string | null {
  const [, now] = /"now":(\d+)/u.exec(html) ?? []
  if (now === undefined || !html.includes('"kept":0')) return null
  return html.replace('"kept":0', `"kept":${Number(now) - Date.now()}`)
}

async function forgetPages(): Promise<void> {
  forgotten += 1
  for (const name of [pagesName, cardsName]) await caches.delete(name)
}

/** The operator has switched workers off. */
async function leave(): Promise<void> {
  forgotten += 1
  for (const name of await caches.keys()) if (name.startsWith(cachePrefix)) await caches.delete(name)
  await self.registration.unregister()
}
