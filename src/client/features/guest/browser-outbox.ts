import type { api } from '#contract/api.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { forget, guestKeys, recall, remember } from '../../lib/browser-storage.ts'
import { forgetOldAsks, rememberAsked } from './guest-memory.ts'
import { type Answer, type Ask, Outbox } from './outbox.ts'

const path: (typeof api.requests.send)['path'] = '/api/service-requests'
const answerWithinMs = 10_000

/** The outbox of this page: kept in local storage, posted with keepalive so that it outlives the page. */
export function browserOutbox(): Outbox {
  const outbox = new Outbox({
    now: Date.now,
    post,
    kept: {
      all: () => guestKeys('ask').flatMap((key) => parseAsk(recall(key))),
      keep: (ask) => remember(`ask_${ask.id}`, JSON.stringify(ask)),
      drop: ({ id }) => forget(`ask_${id}`),
    },
    after: (ms, work) => {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
    random: Math.random,
  })
  const wake = (): void => {
    if (document.visibilityState === 'visible') outbox.hurry()
  }
  addEventListener('online', wake)
  addEventListener('pageshow', wake)
  document.addEventListener('visibilitychange', wake)
  forgetOldAsks(Date.now())
  outbox.start()
  return outbox
}

/** Not `call` of client/api: the contract's schemas would triple what stands in the page itself. */
async function post({ id, restaurantId, tableNumber, serviceType, k, at }: Ask): Promise<Answer> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      credentials: 'include',
      keepalive: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, restaurantId, tableNumber, serviceType, ...(k !== null && { k }) }),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    const body: unknown = await response.json()
    if (response.ok) return stored(body, at, response.status === 200)
    return response.status < 500 ? refused(body) : { type: 'unreachable' }
  } catch {
    return { type: 'unreachable' }
  }
}

/** A network's own sign-in page also answers 200: only our server's answer counts. */
function stored(body: unknown, at: number, again: boolean): Answer {
  if (!has(body, 'request') || !has(body.request, 'id')) return { type: 'unreachable' }
  rememberAsked(String(body.request.id), at)
  return { type: 'stored', request: body.request, again }
}

function refused(body: unknown): Answer {
  if (!has(body, 'code') || !has(body, 'message') || !isCode(body.code)) return { type: 'unreachable' }
  return { type: 'refused', code: body.code, message: String(body.message) }
}

const isCode = (value: unknown): value is ErrorCode => typeof value === 'string'

function has<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value
}

function parseAsk(text: string | null): Ask[] {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isAsk(value) ? [value] : []
  } catch {
    return []
  }
}

const isAsk = (value: unknown): value is Ask =>
  has(value, 'id') && has(value, 'restaurantId') && has(value, 'tableNumber') && has(value, 'at')
