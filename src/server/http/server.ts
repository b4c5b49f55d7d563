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
import { type Actor, anonymous } from '../core/actor.ts'
import { authorize } from '../core/authorize.ts'
import type { Ctx } from '../core/ports.ts'
import { explain, invalid, Refusal } from '../core/errors.ts'
import { logRefusal } from '../core/security-log.ts'
import { touch } from '../core/sessions.ts'
import type { Browsers } from './browser.ts'
import { Answer, Download, type Endpoint, endpoints } from './endpoints.ts'

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
export type ArrivalLimits = { withinMs: number; checkEveryMs: number }
export const arrivalLimits: ArrivalLimits = { withinMs: 10_000, checkEveryMs: 1_000 }

/** Every endpoint is mounted the same way: guard, read, identify, permit, validate, run, reply. */
export function createHttp(
  ctx: Ctx,
  browsers: Browsers,
  logger: FastifyBaseLogger,
  { withinMs, checkEveryMs }: ArrivalLimits = arrivalLimits,
) {
  const server = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    forceCloseConnections: true,
    requestTimeout: withinMs,
    http: { headersTimeout: withinMs, connectionsCheckingInterval: checkEveryMs },
    clientErrorHandler: refuseUnreadable,
    routerOptions: { maxParamLength: 4_000, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => readable(url),
    // What the router cannot read reaches no hook and no error handler.
    frameworkErrors: (error, _request, reply) => void refuse(error, reply),
  })
  const running = new Set<Promise<unknown>>()
  server.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const answer = handler.call(this, request, reply)
      if (answer instanceof Promise) keep(answer)
      return answer
    }
  })

  function keep(work: Promise<unknown>): void {
    const ended = () => void running.delete(work)
    running.add(work)
    work.then(ended, ended)
  }

  server.removeContentTypeParser('text/plain')
  server.decorateRequest('actor')
  server.decorateRequest('identified', false)
  server.addHook('onRequest', async (request, reply) => {
    request.actor = anonymous(request.ip)
    const { signedBySender, sentByBrowser } = request.routeOptions.config
    const problem =
      signedBySender || sentByBrowser ? null : browsers.forgery(request.method, request.headers, false)
    if (problem !== null) throw new Refusal('forbidden', problem)
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store')
  })
  server.addHook('onSend', async (request, reply) => {
    const cookie = browsers.visitsCookie(request.raw, request.actor)
    if (cookie !== null) void reply.header('set-cookie', cookie)
  })
  for (const endpoint of endpoints) mount(endpoint)

  function mount({ route, run }: Endpoint): void {
    const operation = operationOf(route)
    const guest = route.path.startsWith('/api/service-requests') ? 'make-known' : 'known'
    const forStaff = permissions[operation].guest !== 'yes'
    const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await identify(request, reply, guest)
      if (forStaff) authorize(request.actor, operation)
    }
    /** Who may not call learns nothing about what the call takes, not even that a body could not be read. */
    const explainFailure = async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const isUnread = forStaff && !request.identified
      const [outcome] = await Promise.allSettled(isUnread ? [admit(request, reply)] : [])
      const reason: FastifyError = outcome?.status === 'rejected' ? outcome.reason : error
      await logRefusal(ctx, request.actor, `${route.method} ${route.path}`, reason)
      refuse(reason, reply)
    }
    server.route({
      method: route.method,
      url: route.path,
      onRequest: async (request) => {
        if (forStaff && !browsers.hasSession(request.raw)) authorize(request.actor, operation)
      },
      // After the body, which may take its time: what was revoked meanwhile is not there any more.
      preValidation: admit,
      errorHandler: (error, request, reply) => void explainFailure(error, request, reply),
      handler: async (request, reply) => {
        const result = await run(ctx, request.actor, inputOf(route, request))
        await touch(ctx, request.actor, operation)
        return send(route, reply, result)
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
    keep(identified)
    const { actor, cookies } = await identified
    request.actor = actor
    for (const cookie of cookies) void reply.header('set-cookie', cookie)
  }

  function send(route: Route, reply: FastifyReply, result: unknown): unknown {
    if (result instanceof Download) {
      void reply.header('content-disposition', attachment(result.name))
      return reply.type(result.type).send(Readable.from(result.chunks, { objectMode: false }))
    }
    const answer = result instanceof Answer ? result : new Answer(result, {})
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
    return refuse(error, reply)
  })

  function refuse(error: FastifyError, reply: FastifyReply): FastifyReply {
    const { retryAfter, ...body } = explain(ctx.log, refusalOf(error))
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter))
    void reply.status(errorStatus[body.code])
    return reply.send(body)
  }

  /** Until nothing is worked on: closing ends the connections, not what was begun for them. */
  async function idle(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running)
  }

  return Object.assign(server, { identify, idle })
}

/** What is no HTTP, or does not arrive in time, reaches no route: it is answered on the bare connection. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { code, message } = unreadable(error.code)
  const body = JSON.stringify({ code, message })
  const status = errorStatus[code]
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  socket.destroy(error)
}

function unreadable(code: string | undefined): ErrorBody {
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
function readable(url: string): string {
  const [path = ''] = url.split(/[?#;]/u)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

export type Http = ReturnType<typeof createHttp>

/** Characters that file systems refuse become '-'; browsers that know no other alphabet get ASCII. */
function attachment(name: string): string {
  const file = name.replaceAll(/["*/:<>?\\|]/gu, '-')
  const encoded = encodeURIComponent(file).replaceAll(/['()*]/gu, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${file.replaceAll(/[^ -~]/gu, '-')}"; filename*=UTF-8''${encoded}`
}

function inputOf(route: Route, request: FastifyRequest): Input<Route> {
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
function refusalOf(error: FastifyError): Error {
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
