import type { api } from '#contract/api.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { removeStored, listGuestKeys, getStored, setStored } from '../../lib/browser-storage.ts'
import { onWake } from '../../lib/on-wake.ts'
import { forgetOldRequests, rememberOwnRequest } from './guest-storage.ts'
import { type Answer, type Tap, Outbox } from './outbox.ts'

const requestsPath: (typeof api.requests.send)['path'] = '/api/service-requests'
const responseTimeoutMs = 10_000

/** Taps are kept in local storage, and posted with keepalive so that the request outlives the page. */
export function createBrowserOutbox(): Outbox {
  const outbox = new Outbox({
    now: Date.now,
    post: postTap,
    storage: {
      all: () => listGuestKeys('ask').flatMap((key) => parseTap(getStored(key))),
      save: (tap) => setStored(`ask_${tap.id}`, JSON.stringify(tap)),
      remove: ({ id }) => removeStored(`ask_${id}`),
    },
    schedule: (ms, task) => {
      const timer = setTimeout(task, ms)
      return () => clearTimeout(timer)
    },
    random: Math.random,
  })
  onWake(outbox.retryNow)
  forgetOldRequests(Date.now())
  outbox.start()
  return outbox
}

/** Not `call` of client/api: the contract's schemas would triple the size of the inline script. */
async function postTap({ id, restaurantId, tableNumber, serviceType, k, at }: Tap): Promise<Answer> {
  try {
    const response = await fetch(requestsPath, {
      method: 'POST',
      credentials: 'include',
      keepalive: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, restaurantId, tableNumber, serviceType, ...(k !== null && { k }) }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const body: unknown = await response.json()
    if (response.ok) return toStoredAnswer(body, at, response.status === 200)
    return response.status < 500 ? toRefusedAnswer(body) : { type: 'unreachable' }
  } catch {
    return { type: 'unreachable' }
  }
}

/** A captive portal also answers 200: only our server's answer counts. */
function toStoredAnswer(body: unknown, at: number, again: boolean): Answer {
  if (!hasKey(body, 'request') || !hasKey(body.request, 'id')) return { type: 'unreachable' }
  rememberOwnRequest(String(body.request.id), at)
  return { type: 'stored', request: body.request, again }
}

function toRefusedAnswer(body: unknown): Answer {
  if (!hasKey(body, 'code') || !hasKey(body, 'message') || !isErrorCode(body.code))
    return { type: 'unreachable' }
  return { type: 'refused', code: body.code, message: String(body.message) }
}

const isErrorCode = (value: unknown): value is ErrorCode => typeof value === 'string'

function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value
}

function parseTap(text: string | null): Tap[] {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isTap(value) ? [value] : []
  } catch {
    return []
  }
}

const isTap = (value: unknown): value is Tap =>
  hasKey(value, 'id') && hasKey(value, 'restaurantId') && hasKey(value, 'tableNumber') && hasKey(value, 'at')
