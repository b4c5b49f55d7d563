import { Readable } from 'node:stream'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { callOf, type Input, type Route } from '#contract/api.ts'
import { errorStatus } from '#contract/errors.ts'
import { parse } from '#contract/parse.ts'
import { permissions } from '#contract/permissions.ts'
import { type Actor, anonymous, may } from '../core/actor.ts'
import type { Ctx } from '../core/context.ts'
import { explain, invalid, Refusal } from '../core/errors.ts'
import { touch } from '../core/sessions.ts'
import type { Browsers } from './browser.ts'
import { Answer, Download, type Endpoint, endpoints } from './endpoints.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
  }
  interface FastifyContextConfig {
    /** No browser sends it: its signature says who does. */
    signedBySender?: true
  }
}

const bodyLimit = 256 * 1024

/** Every endpoint is mounted the same way: guard, identify, permit, validate, run, reply. */
export function createHttp(ctx: Ctx, browsers: Browsers, logger: FastifyBaseLogger) {
  const server = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    forceCloseConnections: true,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1_000, ignoreTrailingSlash: true },
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
  server.addHook('onRequest', async (request, reply) => {
    const { signedBySender } = request.routeOptions.config
    const problem = signedBySender ? null : browsers.forgery(request.method, request.headers, false)
    if (problem !== null) throw new Refusal('forbidden', problem)
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store')
    request.actor = anonymous(request.ip)
  })
  for (const endpoint of endpoints) mount(endpoint)

  function mount({ route, run }: Endpoint): void {
    const call = callOf(route)
    const guest = route.path.startsWith('/api/service-requests') ? 'make-known' : 'known'
    server.route({
      method: route.method,
      url: route.path,
      // Who may not call learns nothing about what the call takes, so this comes before the body is read.
      onRequest: async (request, reply) => {
        const identified = identify(request, reply, guest)
        keep(identified)
        await identified
        if (permissions[call].guest !== 'yes') may(request.actor, call)
      },
      handler: async (request, reply) => {
        const result = await run(ctx, request.actor, inputOf(route, request))
        await touch(ctx, request.actor, call)
        return send(route, reply, result)
      },
    })
  }

  async function identify(
    request: FastifyRequest,
    reply: FastifyReply,
    guest: 'known' | 'make-known',
  ): Promise<void> {
    const { actor, cookies } = await browsers.identify(request.raw, guest)
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
    if (!route.reply) return reply.status(204).send()
    void reply.status(answer.status ?? route.status ?? 200)
    return answer.body
  }

  server.setErrorHandler((error: FastifyError, _request, reply) => refuse(error, reply))

  function refuse(error: FastifyError, reply: FastifyReply): FastifyReply {
    const known = refusalOf(error)
    const body = explain(ctx.log, known)
    if (known instanceof Refusal && known.retryAfter !== undefined) {
      void reply.header('retry-after', String(known.retryAfter))
    }
    void reply.status(errorStatus[body.code])
    return reply.send(body)
  }

  /** Until nothing is worked on: closing ends the connections, not what was begun for them. */
  async function idle(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running)
  }

  return Object.assign(server, { identify, idle })
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
