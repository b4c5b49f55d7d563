import type { Reply, api } from '#contract/api.ts'
import type { RefusalBody } from '#contract/errors.ts'
import { refusalIn } from './answers.ts'
import { ownNeeds } from './menu/own-needs.ts'
import { deviceHeader } from './taps/guest-storage.ts'

type Requests = typeof api.requests

/** `refusal` is null if the server was not reached, or something else answered. */
export class CallError extends Error {
  override name = 'CallError'
  readonly status: number
  readonly refusal: RefusalBody | null
  constructor(status: number, refusal: RefusalBody | null) {
    super(refusal?.message)
    this.status = status
    this.refusal = refusal
  }
}

export async function fetchTableRequests(table: Record<string, string>): Promise<Reply<Requests['mine']>> {
  const path: Requests['mine']['path'] = '/api/service-requests/mine'
  const reply = await (await answerTo('GET', `${path}?${new URLSearchParams(table).toString()}`)).json()
  // A portal of the network may answer in the server's place, and a newer server in another way.
  if (!reply.requests) throw new TypeError(path)
  if (reply.needs) await ownNeeds.load?.()
  return reply
}

export async function cancelRequest(id: string): Promise<Reply<Requests['cancel']>> {
  const reply = await (await answerTo('POST', `/api/service-requests/${id}/cancel`)).json()
  // A portal of the network may answer this, too.
  if (reply.id !== id) throw new TypeError(id)
  return reply
}

export async function sendReminder(id: string): Promise<Reply<Requests['stillWaiting']>> {
  return (await answerTo('POST', `/api/service-requests/${id}/still-waiting`)).json()
}

/** What this device asked for at `from` comes along. */
export async function correctTable(from: string, table: Record<string, string>): Promise<void> {
  const path: Requests['correctTable']['path'] = '/api/service-requests/correct-table'
  await answerTo('POST', path, { ...table, from })
}

async function answerTo(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response> {
  const response = await fetch(path, {
    method,
    credentials: 'include',
    keepalive: method === 'POST',
    signal: AbortSignal.timeout(10_000),
    headers: { ...deviceHeader(), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => null)
  if (response?.ok) return response
  const refusal: unknown = await response?.json().catch(() => null)
  throw new CallError(response?.status ?? 0, refusalIn(refusal))
}
