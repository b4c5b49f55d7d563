import * as v from 'valibot'
import type { Reply, Route, CallInput } from '#contract/api.ts'
import { type ErrorCode, errorStatus } from '#contract/errors.ts'
import { keysOf } from '#contract/keys-of.ts'
import { compareClocks } from '../lib/server-clock.ts'
import { requestRecentSignIn } from './recent-sign-in.ts'

/** A refused call, with the server's message. `status` 0: the server was not reached. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  /** The whole answer, if it has a message for people. */
  readonly body: string | undefined
  constructor(status: number, code: ErrorCode, message: string, body?: string) {
    super(message)
    this.status = status
    this.code = code
    this.body = body
  }
}

/** Nobody is signed in, or not any more. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** Nobody is signed in who may do this. */
export const isAccessRefused = (error: unknown): boolean =>
  isSignedOut(error) || (error instanceof ApiError && error.status === 403)

const probeTimeoutMs = 2_000

/** `silent`: the network swallows the question, or is slow. */
export type ProbeResult = 'answers' | 'fails' | 'silent'

export async function probeServer(): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(probeTimeoutMs)
  return await fetch('/healthz', { cache: 'no-store', signal }).then(
    ({ ok, headers }) => {
      if (ok) compareClocks(headers.get('date'))
      return ok ? 'answers' : 'fails'
    },
    () => (signal.aborted ? 'silent' : 'fails'),
  )
}

export const noConnectionText = 'No connection to the server. Please check the network and try again.'

/** The answer's own sentence, whatever its status; the fallback when it has none. */
export function errorMessage(error: unknown, fallback: string): string {
  const isForPeople = error instanceof ApiError && (error.body !== undefined || error.status === 0)
  return isForPeople ? error.message : fallback
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
  const response = await fetchAnswer(route, input, options)
  return route.reply && v.parse(route.reply, await response.json())
}

/** `call` for a file: the answer as it came. */
export async function fetchAnswer(
  route: Route,
  input?: unknown,
  options: CallOptions = {},
): Promise<Response> {
  const response = await send(route, input, options)
  compareClocks(response.headers.get('date'))
  if (response.ok) return response
  const error = await toApiError(response)
  if (error.code === 'recent_sign_in_required' && (await requestRecentSignIn()))
    return await fetchAnswer(route, input, options)
  throw (await refusals.explain?.(error, route)) ?? error
}

/** Set by pages that find out why they are refused something, such as that their login has ended. */
export const refusals: { explain?: (error: ApiError, route: Route) => Promise<ApiError> } = {}

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

/** A proxy, or a newer server, may know other codes than ours. */
const MessageBody = v.object({
  code: v.fallback(v.picklist(keysOf(errorStatus)), 'internal'),
  message: v.pipe(v.string(), v.regex(/\S/u)),
})

async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = v.safeParse(v.pipe(v.string(), v.parseJson(), MessageBody), text)
  if (body.success) return new ApiError(response.status, body.output.code, body.output.message, text)
  return new ApiError(response.status, 'internal', `${response.status}: ${text || response.statusText}`)
}
