import * as v from 'valibot'
import type { Reply, Route, CallInput } from '#contract/api.ts'
import { ErrorBody, type ErrorCode } from '#contract/errors.ts'
import { requestRecentSignIn } from './recent-sign-in.ts'

/** A refused call, with the server's own words. `status` 0: the server was not reached. */
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

/** The server's own words, or ours when it said none. */
export function errorMessage(problem: unknown, fallback: string): string {
  if (!(problem instanceof ApiError) || /^\d{3}: /.test(problem.message)) return fallback
  return problem.message || fallback
}

type CallOptions = { signal?: AbortSignal; keepalive?: boolean }
/** A route that needs nothing said: `call(api.accounts.currentUser)`. */
type RouteWithoutInput = Route & { params?: never; query?: never; body?: never }
type RequestInput = {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
}

/**
 * The only HTTP client: `call(api.crew.add, { body: { name, role } })`. Throws `ApiError`. What needs a recent sign-in
 * is sent again once the person has confirmed who they are.
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
  const refused = await toApiError(response)
  if (refused.code !== 'recent_sign_in_required' || !(await requestRecentSignIn())) throw refused
  return await call(route, input ?? {}, options)
}

async function send(
  route: Route,
  input: unknown,
  { signal, keepalive = false }: CallOptions,
): Promise<Response> {
  const { body, ...where }: RequestInput = isRequestInput(input) ? input : {}
  return await fetch(buildUrl(route, where), {
    method: route.method,
    credentials: 'include',
    keepalive,
    ...(signal && { signal }),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch((problem: unknown) => {
    if (signal?.aborted) throw problem
    throw new ApiError(
      0,
      'unavailable',
      'No connection to the server. Please check the network and try again.',
    )
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
