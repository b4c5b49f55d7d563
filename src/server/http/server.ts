import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { api, type Input, type Route } from '#contract/api.ts'
import { type ErrorBody, errorStatus } from '#contract/errors.ts'
import { parse } from '#contract/parse.ts'
import { operationOf, permissions } from '#contract/permissions.ts'
import { extendIdleTime } from '../core/accounts/sessions/sessions.ts'
import { type Actor, anonymousActor } from '../core/actor.ts'
import { logRefusal } from '../core/audit/security-log.ts'
import { authorize } from '../core/authorize.ts'
import type { Ctx } from '../core/ctx.ts'
import { conflict, invalid, Refusal, toErrorBody } from '../core/errors.ts'
import { TaskTracker } from '../core/tasks/task-tracker.ts'
import type { Answered } from '../ports/monitoring.ts'
import { apiTokenIn } from './api-token.ts'
import type { Cookies } from './cookies.ts'
import { findCsrfProblem } from './csrf.ts'
import { Download, type Endpoint, EndpointResult } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { type GuestMode, guestTokenIn, type Identify, mayBeSignedIn } from './identify.ts'
import { escapeMalformedPath, refuseMalformedRequest, translateFastifyError } from './unreadable-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    isIdentified: boolean
  }
  interface FastifyContextConfig {
    /** Not sent by browsers: its signature identifies the sender. */
    signedBySender?: true
    /** Sent by the browser itself rather than a page; it changes nothing and its reply reveals nothing. */
    sentByBrowser?: true
    /** What its answers are counted as, if not as pages. */
    answered?: Answered | 'uncounted'
  }
}

const bodyLimit = 256 * 1024
/** Longer than proxies keep an idle connection, so that they end it first. */
const keepAliveTimeout = 72_000

/**
 * In milliseconds: how long a request may take to arrive, headers and body, how often that is checked, and how long
 * one may still take when the server stops.
 */
export type RequestTimeouts = { arriveWithinMs: number; checkEveryMs: number; finishWithinMs: number }
export const defaultRequestTimeouts: RequestTimeouts = {
  arriveWithinMs: 10_000,
  checkEveryMs: 1_000,
  finishWithinMs: 5_000,
}

/**
 * In a turn of its event loop Node accepts one connection of each listener. When many phones and screens come at once,
 * turns are long, and behind one listener the last would wait for seconds.
 */
const listenersPerAddress = 16

type Options = {
  cookies: Cookies
  identify: Identify
  /** Origins of our own pages. */
  origins: readonly string[]
  logger: FastifyBaseLogger
  /** Adds what traces need, before there are any routes. */
  instrument?: ((fastify: FastifyInstance) => void) | undefined
  timeouts?: RequestTimeouts | undefined
  /** Requests are answered until it resolves, then the server stops listening. */
  beforeClose: () => Promise<void>
}

export type HttpServer = ReturnType<typeof createHttpServer>

/** Every endpoint takes the same steps: guard, read, identify, authorize, validate, run, reply. */
export function createHttpServer(
  ctx: Ctx,
  { cookies, identify, origins, logger, instrument, timeouts = defaultRequestTimeouts, beforeClose }: Options,
) {
  const tasks = new TaskTracker()
  const listeners: Server[] = []
  const createListener = (handler: RequestListener): Server => {
    const listener = createServer(
      {
        requestTimeout: timeouts.arriveWithinMs,
        headersTimeout: timeouts.arriveWithinMs,
        connectionsCheckingInterval: timeouts.checkEveryMs,
        keepAliveTimeout,
        // Callers that offer another protocol, such as HTTP/2, are answered without it.
        shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
      },
      handler,
    )
    listeners.push(listener)
    return listener
  }
  const fastify = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    return503OnClosing: false,
    serverFactory: createListener,
    clientErrorHandler: refuseMalformedRequest,
    routerOptions: { maxParamLength: 4_000, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => escapeMalformedPath(url),
    // A path that the router cannot read reaches neither hooks nor the error handler.
    frameworkErrors: (error, _request, reply) => void sendRefusal(ctx, error, reply),
  })
  instrument?.(fastify)
  trackHandlers(fastify, tasks)
  fastify.addHook('preClose', async () => {
    await beforeClose()
    for (const listener of listeners) listener.close()
    await Promise.race([tasks.whenIdle(), setTimeout(timeouts.finishWithinMs, undefined, { ref: false })])
    for (const listener of listeners) listener.closeAllConnections()
  })
  fastify.removeContentTypeParser('text/plain')
  fastify.decorateRequest('actor')
  fastify.decorateRequest('isIdentified', false)
  fastify.addHook('onRequest', async (request, reply) => {
    tasks.track(once(reply.raw, 'close'))
    request.actor = anonymousActor(request.ip)
    const { signedBySender, sentByBrowser } = request.routeOptions.config
    const problem = signedBySender || sentByBrowser ? null : findCsrfProblem(origins, request)
    if (problem !== null) throw new Refusal('forbidden', problem)
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store')
  })
  fastify.addHook('onSend', async ({ actor, headers }, reply) => {
    const { toSet } = actor.visits
    if (toSet === undefined) return
    void reply.header('set-cookie', cookies.set('visits', toSet))
    // A visit that has just begun belongs to the device's id, which must not expire before it.
    const guest = guestTokenIn(cookies, headers)
    if (guest !== null) void reply.header('set-cookie', cookies.set('guest', guest))
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { answered = 'page' } = request.routeOptions.config
    if (answered !== 'uncounted') ctx.metrics.answered(answered, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
  fastify.setErrorHandler(async (error: FastifyError, request, reply) => {
    await logRefusal(ctx, request.actor, `${request.method} ${request.routeOptions.url ?? ''}`, error)
    return sendRefusal(ctx, error, reply)
  })

  const server = Object.assign(fastify, {
    /** Sets the request's actor and the cookies of its reply. */
    async identify(request: FastifyRequest, reply: FastifyReply, guestMode: GuestMode): Promise<void> {
      request.isIdentified = true
      const identified = identify(request.raw, guestMode)
      tasks.track(identified)
      const { actor, cookies: newCookies } = await identified
      request.actor = actor
      for (const cookie of newCookies) void reply.header('set-cookie', cookie)
    },

    /** Opens the port on all addresses of `localhost`, which browsers may resolve to either. */
    async open(port: number, host: string, { isOwnPort }: { isOwnPort: boolean }): Promise<number> {
      const reusePort = isOwnPort && port !== 0 && process.platform === 'linux'
      const addresses =
        host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : []
      // With `reusePort` nobody would notice that another server has it.
      if (reusePort) for (const address of new Set([host, ...addresses])) await requireFreePort(port, address)
      const first = { port, host, reusePort }
      await fastify.listen(first)
      const bound = fastify.server.address()
      if (typeof bound !== 'object' || bound === null) return port
      for (const address of new Set([bound.address, ...addresses])) {
        const opened = address === bound.address ? 1 : 0
        for (let count = opened; count < (reusePort ? listenersPerAddress : 1); count++) {
          const listener = createListener((request, response) => fastify.routing(request, response))
          listener.on('upgrade', (...upgrade) => fastify.server.emit('upgrade', ...upgrade))
          listener.on('clientError', (...failure) => fastify.server.emit('clientError', ...failure))
          listener.listen({ port: bound.port, host: address, reusePort })
          await whenListening(listener)
        }
      }
      return bound.port
    },

    /** Unlike closing, leaves open connections alone, even idle ones: their next request is still answered. */
    stopListening(): void {
      for (const listener of listeners) NetServer.prototype.close.call(listener)
    },

    /** Closing ends the connections but not the work that was started for them. */
    whenIdle: () => tasks.whenIdle(),
  })
  for (const endpoint of endpoints) mountEndpoint(server, ctx, cookies, endpoint)
  return server
}

async function requireFreePort(port: number, host: string): Promise<void> {
  const server = new NetServer()
  server.listen({ port, host, exclusive: true })
  await whenListening(server)
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

async function whenListening(server: NetServer): Promise<void> {
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    // A machine without IPv6 may still name its address.
    if (error.code === 'EADDRINUSE') throw error
  })
}

function trackHandlers(fastify: FastifyInstance, tasks: TaskTracker): void {
  fastify.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const answer = handler.call(this, request, reply)
      if (answer instanceof Promise) tasks.track(answer)
      return answer
    }
  })
}

/** What the guest page calls. */
const guestRoutes: ReadonlySet<Route> = new Set(
  [api.requests, api.guestNotes].flatMap((group): Route[] => Object.values(group)),
)

/**
 * Make the device a guest. A page that was kept on the device sends other calls beside its first tap, and each of them
 * would give it another id, perhaps after the tap's.
 */
const recognizingRoutes: ReadonlySet<Route> = new Set<Route>([api.requests.send, api.guestNotes.send])

function mountEndpoint(
  server: FastifyInstance & Pick<HttpServer, 'identify'>,
  ctx: Ctx,
  cookies: Cookies,
  { route, run }: Endpoint,
): void {
  const operation = operationOf(route)
  const isGuests = guestRoutes.has(route)
  const guestMode = recognizingRoutes.has(route) ? 'create-if-missing' : 'existing'
  const isForStaff = permissions[operation].guest !== 'yes'

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await server.identify(request, reply, guestMode)
    if (isForStaff || request.actor.token !== null) authorize(request.actor, operation)
  }

  /** Unauthorized callers learn nothing about the input of a call, not even that their body could not be read. */
  async function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const isUnauthorized = isForStaff && !request.isIdentified
    const [outcome] = await Promise.allSettled(isUnauthorized ? [admit(request, reply)] : [])
    const reason: FastifyError = outcome?.status === 'rejected' ? outcome.reason : error
    // Whether an owner is signed in is what pages ask: "no" is an answer.
    if (operation !== 'accounts.currentUser')
      await logRefusal(ctx, request.actor, `${route.method} ${route.path}`, reason)
    sendRefusal(ctx, reason, reply)
  }

  server.route({
    method: route.method,
    url: route.path,
    config: { answered: route === api.requests.send ? 'tap' : isGuests ? 'guest' : 'staff' },
    onRequest: async ({ actor, headers }) => {
      if (isForStaff && !mayBeSignedIn(cookies, headers)) authorize(actor, operation)
    },
    // Only after the body has arrived, so that a login revoked in the meantime no longer counts.
    preValidation: admit,
    errorHandler: (error, request, reply) => void sendFailure(error, request, reply),
    handler: async (request, reply) => {
      const caller = { gone: () => whenGone(reply.raw) }
      const result = await run(ctx, request.actor, parseInput(route, request), caller)
      // What is done is answered, even if this cannot be stored.
      await extendIdleTime(ctx, request.actor, [operation]).catch((error: unknown) =>
        ctx.log.error({ error }, 'could not store that a login was used'),
      )
      return sendResult(route, cookies, reply, result)
    },
  })
}

function whenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort(conflict('Nobody waits for the answer')))
  return controller.signal
}

function parseInput(route: Route, request: FastifyRequest): Input<Route> {
  const part = (name: 'params' | 'query' | 'body') => {
    const schema = route[name]
    if (!schema) return undefined
    const given = request[name] === undefined ? {} : request[name]
    // A schema with only optional fields would accept an array as an empty object.
    const parsed = parse(schema, Array.isArray(given) ? null : given)
    if (!parsed.ok) throw invalid(parsed.message)
    return parsed.value
  }
  return { params: part('params'), query: part('query'), body: part('body') } as Input<Route>
}

function sendResult(route: Route, cookies: Cookies, reply: FastifyReply, result: unknown): unknown {
  if (result instanceof Download) {
    void reply.header('content-disposition', result.contentDisposition)
    if (result.bytes !== undefined) void reply.header('content-length', result.bytes)
    const { chunks } = result
    // One that nobody has begun to read would not be closed otherwise.
    const stream = chunks instanceof Readable ? chunks : Readable.from(chunks, { objectMode: false })
    return reply.type(result.type).send(stream)
  }
  const answer = result instanceof EndpointResult ? result : new EndpointResult(result)
  for (const name of ['session', 'device', 'challenge'] as const) {
    const value = answer.cookies[name]
    if (value !== undefined) void reply.header('set-cookie', cookies.set(name, value))
  }
  if (!route.reply) return reply.status(204).send()
  void reply.status(answer.status ?? route.status ?? 200)
  return answer.body
}

/** `headers`: the length of the file, beside 416. */
function sendRefusal(
  { log }: Ctx,
  error: FastifyError & { headers?: Record<string, string> },
  reply: FastifyReply,
): FastifyReply {
  const { retryAfter, ...body } = toErrorBody(log, translateFastifyError(error))
  setRefusalStatus(reply, { code: body.code, retryAfter })
  if (body.code === 'range_not_satisfiable') void reply.headers(error.headers ?? {})
  if (body.code === 'unauthenticated' && apiTokenIn(reply.request.headers) !== null)
    void reply.header('www-authenticate', 'Bearer error="invalid_token"')
  return reply.send(body)
}

export function setRefusalStatus(
  reply: FastifyReply,
  { code, retryAfter }: Pick<ErrorBody, 'code'> & { retryAfter?: number | undefined },
): void {
  void reply.status(errorStatus[code])
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter))
}
