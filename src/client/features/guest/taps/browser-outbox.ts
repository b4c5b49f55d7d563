import type { api } from '#contract/api.ts'
import type { errorStatus } from '#contract/errors.ts'
import { onWake } from '../../../lib/browser/on-wake.ts'
import { hasKey, refusalIn } from '../answers.ts'
import {
  deviceHeader,
  forgetOldRequests,
  guestStorage,
  listGuestKeys,
  rememberOwnRequest,
} from './guest-storage.ts'
import { type Answer, type Kept, type Tap, Outbox } from './outbox.ts'

const requestsPath: (typeof api.requests.send)['path'] = '/api/service-requests'
const responseTimeoutMs = 10_000
/** Too little of the request arrived in time: that says nothing about the tap. */
const timeoutStatus: (typeof errorStatus)['timeout'] = 408

type Start = (start: () => void) => void
const atOnce: Start = (start) => start()

/** `whenToStart`: resumes what an earlier page left behind. */
export const createBrowserOutbox = (whenToStart = atOnce): Outbox =>
  openOutbox('ask', isTap, postTap, (start) =>
    whenToStart(() => {
      forgetOldRequests(Date.now())
      start()
    }),
  )

/** What it keeps is in local storage, and posted with keepalive so that the request outlives the page. */
export function openOutbox<T extends Kept>(
  kind: 'ask' | 'note',
  isKept: (value: unknown) => value is T,
  post: (kept: T) => Promise<Answer>,
  whenToStart = atOnce,
): Outbox<T> {
  const outbox = new Outbox<T>({
    now: Date.now,
    post,
    storage: {
      all: () => listGuestKeys(kind).flatMap((key) => parseKept(guestStorage.get(key), isKept)),
      save: (kept) => guestStorage.set(`${kind}_${kept.id}`, JSON.stringify(kept)),
      remove: ({ id }) => guestStorage.remove(`${kind}_${id}`),
    },
    schedule: (ms, task) => {
      const timer = setTimeout(task, ms)
      return () => clearTimeout(timer)
    },
    random: Math.random,
  })
  onWake(outbox.retryNow)
  whenToStart(() => outbox.start())
  return outbox
}

async function postTap({ k, at, ...tap }: Tap): Promise<Answer> {
  const body = { ...tap, ...(k !== null && { k }) }
  const answer = await postKept(requestsPath, body, (reply) => hasKey(reply, 'request') && reply.request)
  if (answer.type === 'stored' && hasKey(answer.request, 'id'))
    rememberOwnRequest(String(answer.request.id), at, answer.noteCut ? undefined : tap.note)
  return answer
}

/** Not `call` of client/api: the contract's schemas would triple the size of the inline script. */
export async function postKept(
  path: string,
  kept: object,
  storedIn: (reply: unknown) => unknown,
): Promise<Answer> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      credentials: 'include',
      keepalive: true,
      headers: { 'content-type': 'application/json', ...deviceHeader() },
      body: JSON.stringify(kept),
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const body: unknown = await response.json()
    if (!response.ok) {
      const isFinal = response.status < 500 && response.status !== timeoutStatus
      const refusal = isFinal ? refusalIn(body) : null
      return refusal ? { type: 'refused', ...refusal } : { type: 'unreachable' }
    }
    const request = storedIn(body)
    // A captive portal also answers 200: only our server's answer counts.
    return hasKey(request, 'id')
      ? {
          type: 'stored',
          request,
          again: response.status === 200,
          closed: hasKey(body, 'closed') ? body.closed : undefined,
          listening: hasKey(body, 'listening') ? body.listening : undefined,
          noteCut: hasKey(body, 'noteCut') ? body.noteCut : undefined,
        }
      : { type: 'unreachable' }
  } catch {
    return { type: 'unreachable' }
  }
}

function parseKept<T>(text: string | null, isKept: (value: unknown) => value is T): T[] {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isKept(value) ? [value] : []
  } catch {
    return []
  }
}

const isTap = (value: unknown): value is Tap =>
  hasKey(value, 'id') && hasKey(value, 'restaurantId') && hasKey(value, 'tableNumber') && hasKey(value, 'at')
