import * as v from 'valibot'
import type { Reply, Route, CallInput } from '#contract/api.ts'
import { ErrorBody, type ErrorCode } from '#contract/errors.ts'
import { requestRecentSignIn } from './recent-sign-in.ts'

/** A refused call, with the server's message. `status` 0: the server was not reached. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  constructor(status: number, code: ErrorCode, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export const noConnectionText = 'No connection to the server. Please check the network and try again.'

/** The server's own sentence, or the fallback when the error is not one of its refusals. */
export function errorMessage(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError) || /^\d{3}: /.test(error.message)) return fallback
  return error.message || fallback
}

type CallOptions = { signal?: AbortSignal; keepalive?: boolean }
/** `call(api.accounts.currentUser)`. */
type RouteWithoutInput = Route & { params?: never; query?: never; body?: never }
type RequestInput = {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
}

/**
 * The only HTTP client: `call(api.crew.add, { body: { name, role } })`. Throws `ApiError`. A call that needs a recent
 * sign-in is sent again once the person has confirmed who they are.
 */
export async function call<R extends RouteWithoutInput>(route: R): Promise<Reply<R>>
export async function call<R extends Route>(
  route: R,
  input: CallInput<R>,
  options?: CallOptions,
): Promise<Reply<R>>
export async function call(route: Route, input?: unknown, options: CallOptions = {}): Promise<unknown> {
  const response = await send(route, input, options)
  if (response.ok) return route.reply && v.parse(route.reply, await response.json())
  const error = await toApiError(response)
  if (error.code !== 'recent_sign_in_required' || !(await requestRecentSignIn())) throw error
  return await call(route, input ?? {}, options)
}

async function send(
  route: Route,
  input: unknown,
  { signal, keepalive = false }: CallOptions,
): Promise<Response> {
  const { body, ...target }: RequestInput = isRequestInput(input) ? input : {}
  return await fetch(buildUrl(route, target), {
    method: route.method,
    credentials: 'include',
    keepalive,
    ...(signal && { signal }),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'unavailable', noConnectionText)
  })
}

const isRequestInput = (input: unknown): input is RequestInput => typeof input === 'object' && input !== null

export function buildUrl(route: Route, { params = {}, query = {} }: RequestInput): string {
  const path = route.path.replace(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return search.size > 0 ? `${path}?${search.toString()}` : path
}

async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = v.safeParse(v.pipe(v.string(), v.parseJson(), ErrorBody), text)
  if (body.success) return new ApiError(response.status, body.output.code, body.output.message)
  return new ApiError(response.status, 'internal', `${response.status}: ${text || response.statusText}`)
}
