import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Input, Route } from '#contract/api.ts'
import { type ErrorBody, errorStatus } from '#contract/errors.ts'
import { parse } from '#contract/parse.ts'
import { operationOf, permissions } from '#contract/permissions.ts'
import { type Actor, anonymousActor } from '../core/actor.ts'
import { authorize } from '../core/authorize.ts'
import type { Ctx } from '../core/ports.ts'
import { toErrorBody, invalid, Refusal } from '../core/errors.ts'
import { logRefusal } from '../core/audit/security-log.ts'
import { extendIdleTime } from '../core/accounts/sessions.ts'
import type { BrowserSessions } from './cookies.ts'
import { EndpointResult, Download, type Endpoint, endpoints } from './endpoints.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    identified: boolean
  }
  interface FastifyContextConfig {
    /** No browser sends it: its signature says who does. */
    signedBySender?: true
    /** No page sends it, but the browser by itself; it is told nothing and changes nothing. */
    sentByBrowser?: true
  }
}

const bodyLimit = 256 * 1024

/** How long a request may take to arrive, headers and body, and how often that is looked at; in milliseconds. */
export type RequestTimeouts = { withinMs: number; checkEveryMs: number }
export const defaultRequestTimeouts: RequestTimeouts = { withinMs: 10_000, checkEveryMs: 1_000 }

/** Every endpoint is mounted the same way: guard, read, identify, permit, validate, run, reply. */
export function createHttpServer(
  ctx: Ctx,
  browsers: BrowserSessions,
  logger: FastifyBaseLogger,
  { withinMs, checkEveryMs }: RequestTimeouts = defaultRequestTimeouts,
) {
  const server = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    forceCloseConnections: true,
    requestTimeout: withinMs,
    http: { headersTimeout: withinMs, connectionsCheckingInterval: checkEveryMs },
    clientErrorHandler: refuseMalformedRequest,
    routerOptions: { maxParamLength: 4_000, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => escapeMalformedPath(url),
    // What the router cannot read reaches no hook and no error handler.
    frameworkErrors: (error, _request, reply) => void sendRefusal(error, reply),
  })
  const inProgress = new Set<Promise<unknown>>()
  server.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const answer = handler.call(this, request, reply)
      if (answer instanceof Promise) trackWork(answer)
      return answer
    }
  })

  function trackWork(work: Promise<unknown>): void {
    const ended = () => void inProgress.delete(work)
    inProgress.add(work)
    work.then(ended, ended)
  }

  server.removeContentTypeParser('text/plain')
  server.decorateRequest('actor')
  server.decorateRequest('identified', false)
  server.addHook('onRequest', async (request, reply) => {
    request.actor = anonymousActor(request.ip)
    const { signedBySender, sentByBrowser } = request.routeOptions.config
    const problem =
      signedBySender || sentByBrowser ? null : browsers.csrfProblem(request.method, request.headers, false)
    if (problem !== null) throw new Refusal('forbidden', problem)
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store')
  })
  server.addHook('onSend', async (request, reply) => {
    const cookie = browsers.changedVisitsCookie(request.raw, request.actor)
    if (cookie !== null) void reply.header('set-cookie', cookie)
  })
  for (const endpoint of endpoints) mountEndpoint(endpoint)

  function mountEndpoint({ route, run }: Endpoint): void {
    const operation = operationOf(route)
    const guest = route.path.startsWith('/api/service-requests') ? 'make-known' : 'known'
    const forStaff = permissions[operation].guest !== 'yes'
    const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await identify(request, reply, guest)
      if (forStaff) authorize(request.actor, operation)
    }
    /** Who may not call learns nothing about what the call takes, not even that a body could not be read. */
    const sendFailure = async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const isUnread = forStaff && !request.identified
      const [outcome] = await Promise.allSettled(isUnread ? [admit(request, reply)] : [])
      const reason: FastifyError = outcome?.status === 'rejected' ? outcome.reason : error
      await logRefusal(ctx, request.actor, `${route.method} ${route.path}`, reason)
      sendRefusal(reason, reply)
    }
    server.route({
      method: route.method,
      url: route.path,
      onRequest: async (request) => {
        if (forStaff && !browsers.hasSessionCookie(request.raw)) authorize(request.actor, operation)
      },
      // After the body, which may take its time: what was revoked meanwhile is not there any more.
      preValidation: admit,
      errorHandler: (error, request, reply) => void sendFailure(error, request, reply),
      handler: async (request, reply) => {
        const result = await run(ctx, request.actor, parseInput(route, request))
        await extendIdleTime(ctx, request.actor, operation)
        return sendResult(route, reply, result)
      },
    })
  }

  async function identify(
    request: FastifyRequest,
    reply: FastifyReply,
    guest: 'known' | 'make-known',
  ): Promise<void> {
    request.identified = true
    const identified = browsers.identify(request.raw, guest)
    trackWork(identified)
    const { actor, cookies } = await identified
    request.actor = actor
    for (const cookie of cookies) void reply.header('set-cookie', cookie)
  }

  function sendResult(route: Route, reply: FastifyReply, result: unknown): unknown {
    if (result instanceof Download) {
      void reply.header('content-disposition', contentDisposition(result.name))
      return reply.type(result.type).send(Readable.from(result.chunks, { objectMode: false }))
    }
    const answer = result instanceof EndpointResult ? result : new EndpointResult(result, {})
    if (answer.cookie !== undefined) void reply.header('set-cookie', browsers.sessionCookie(answer.cookie))
    if (answer.deviceCookie !== undefined)
      void reply.header('set-cookie', browsers.deviceCookie(answer.deviceCookie))
    if (answer.challengeCookie !== undefined)
      void reply.header('set-cookie', browsers.challengeCookie(answer.challengeCookie))
    if (!route.reply) return reply.status(204).send()
    void reply.status(answer.status ?? route.status ?? 200)
    return answer.body
  }

  server.setErrorHandler(async (error: FastifyError, request, reply) => {
    await logRefusal(ctx, request.actor, `${request.method} ${request.routeOptions.url ?? ''}`, error)
    return sendRefusal(error, reply)
  })

  function sendRefusal(error: FastifyError, reply: FastifyReply): FastifyReply {
    const { retryAfter, ...body } = toErrorBody(ctx.log, toRefusal(error))
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter))
    void reply.status(errorStatus[body.code])
    return reply.send(body)
  }

  /** Until nothing is worked on: closing ends the connections, not what was begun for them. */
  async function whenIdle(): Promise<void> {
    while (inProgress.size > 0) await Promise.allSettled(inProgress)
  }

  return Object.assign(server, { identify, idle: whenIdle })
}

/** What is no HTTP, or does not arrive in time, reaches no route: it is answered on the bare connection. */
function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { code, message } = malformedRequestError(error.code)
  const body = JSON.stringify({ code, message })
  const status = errorStatus[code]
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  socket.destroy(error)
}

function malformedRequestError(code: string | undefined): ErrorBody {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'timeout', message: 'The request took too long' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'too_large', message: 'The request is too large' }
    default:
      return { code: 'invalid', message: 'The request could not be read' }
  }
}

/** A path that is no percent-encoding is taken letter by letter: nothing is there, which is told as everywhere else. */
function escapeMalformedPath(url: string): string {
  const [path = ''] = url.split(/[?#;]/u)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

export type HttpServer = ReturnType<typeof createHttpServer>

/** Characters that file systems refuse become '-'; browsers that know no other alphabet get ASCII. */
function contentDisposition(name: string): string {
  const file = name.replaceAll(/["*/:<>?\\|]/gu, '-')
  const encoded = encodeURIComponent(file).replaceAll(/['()*]/gu, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${file.replaceAll(/[^ -~]/gu, '-')}"; filename*=UTF-8''${encoded}`
}

function parseInput(route: Route, request: FastifyRequest): Input<Route> {
  const part = (name: 'params' | 'query' | 'body') => {
    const schema = route[name]
    if (!schema) return undefined
    const given = request[name] === undefined ? {} : request[name]
    // To a schema of fields that are all optional a list is an object without any.
    const parsed = parse(schema, Array.isArray(given) ? null : given)
    if (!parsed.ok) throw invalid(parsed.message)
    return parsed.value
  }
  return { params: part('params'), query: part('query'), body: part('body') } as Input<Route>
}

/** Fastify's own refusals of what it cannot read, in our words; everything else stays what it is. */
function toRefusal(error: FastifyError): Error {
  switch (error.statusCode) {
    case 400:
    case 414:
      return invalid('The request could not be read')
    case 413:
      return new Refusal('too_large', 'The request is too large')
    case 415:
      return new Refusal('unsupported', 'Please send JSON')
    case 404:
      return new Refusal('not_found', 'Not found')
    default:
      return error
  }
}
