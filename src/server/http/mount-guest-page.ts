import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parse } from '#contract/parse.ts'
import { NewServiceRequest, RequestRef, TableRef } from '#contract/requests.ts'
import { GuestFields, type GuestPage } from '#contract/visits.ts'
import type { Ctx } from '../core/ports.ts'
import { invalid, toRefusal } from '../core/errors.ts'
import * as requests from '../core/requests/requests.ts'
import * as visits from '../core/guests/visits.ts'
import { type GuestBundle, renderGuestHtml, renderUnavailableHtml } from './guest-html.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { type HttpServer, setRefusalStatus } from './server.ts'

/** Renders /customer on the server, so that it works before its script arrives, and without one. */
export function mountGuestPage(server: HttpServer, ctx: Ctx, bundle: GuestBundle): void {
  const headers = pageHeaders(ctx, bundle)

  server.register(async (page) => {
    page.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 8_192 },
      async (_request: FastifyRequest, body: string | Buffer) =>
        Object.fromEntries(new URLSearchParams(body.toString())),
    )
    page.addHook('preValidation', (request, reply) => server.identify(request, reply, 'create-if-missing'))

    // Guests get a page, not JSON, even when the database is unavailable.
    page.setErrorHandler((error, request, reply) => {
      const refusal = toRefusal(error)
      if (refusal?.code !== 'unavailable') throw error
      ctx.log.warn({ error }, 'database unavailable')
      setRefusalStatus(reply, refusal)
      return reply
        .headers(headers)
        .send(
          renderUnavailableHtml(bundle, guestUrl(parseOrThrow(GuestFields, request.body ?? request.query))),
        )
    })

    page.get('/customer', async (request, reply) =>
      sendPage(request, reply, parseOrThrow(GuestFields, request.query)),
    )

    page.post('/customer', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.body ?? {})
      try {
        const sent = await performAction(ctx, request, fields)
        return await reply.redirect(guestUrl({ ...fields, sent }), 303)
      } catch (error) {
        const refusal = toRefusal(error)
        if (!refusal) throw error
        setRefusalStatus(reply, refusal)
        return await sendPage(request, reply, fields, refusal.message)
      }
    })
  })

  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: GuestFields,
    refused?: string,
  ) {
    const page = await buildPage(ctx, request, fields, refused ?? null)
    const html = renderGuestHtml(bundle, page, page.tableNumber === null ? null : guestUrl(fields))
    const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '')
    if (encoding) void reply.header('content-encoding', encoding)
    return reply.headers(headers).send(await compress(html, encoding))
  }
}

/** Handles a plain form. Returns the id of the stored request, or an empty string if there is none. */
async function performAction(ctx: Ctx, { actor }: FastifyRequest, fields: GuestFields): Promise<string> {
  const table = { restaurantId: fields.r || undefined, tableNumber: fields.t }
  switch (fields.action) {
    case 'cancel':
      await requests.cancel(ctx, actor, parseOrThrow(RequestRef, fields))
      return ''
    case 'still-waiting':
      await requests.stillWaiting(ctx, actor, parseOrThrow(RequestRef, fields))
      return ''
    case 'reset':
      await visits.resetVisit(ctx, actor, parseOrThrow(TableRef, table))
      return ''
    default: {
      const { id, serviceType, k } = fields
      // The page has one id, and each of its buttons counts as a separate tap.
      const tap = {
        ...table,
        serviceType,
        k: k || undefined,
        ...(id !== '' && { id: `${id}-${serviceType}` }),
      }
      return (await requests.send(ctx, actor, parseOrThrow(NewServiceRequest, tap))).request.id
    }
  }
}

async function buildPage(
  ctx: Ctx,
  { actor }: FastifyRequest,
  { r, t, k, sent, manual }: GuestFields,
  refused: string | null,
): Promise<GuestPage> {
  const table = parse(TableRef, { restaurantId: r, tableNumber: t, k: k || undefined })
  const view = await visits.openGuestPage(ctx, actor, table.ok ? table.value : { restaurantId: r })
  const problem = view.problem ?? (table.ok || r === '' || t === '' ? null : table.message)
  return {
    ...view,
    problem,
    given: { restaurantId: r || null, tableNumber: t || null, k: k || null },
    manual: manual !== '',
    // Only a request that is stored and open is shown as sent.
    sent: view.requests.find(({ id }) => id === sent) ?? null,
    refused: problem === null && !view.expired && view.barrier === null ? refused : null,
    formId: ctx.newId(),
    now: ctx.now(),
  }
}

function parseOrThrow<S extends Parameters<typeof parse>[0]>(schema: S, input: unknown) {
  const parsed = parse(schema, input)
  if (!parsed.ok) throw invalid(parsed.message)
  return parsed.value
}

function guestUrl({ r, t, k, sent }: GuestFields): string {
  const query = new URLSearchParams(Object.entries({ r, t, k, sent }).filter(([, value]) => value !== ''))
  return `/customer?${query.toString()}`
}

function pageHeaders(ctx: Ctx, { css, tapQueue }: GuestBundle): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(ctx.settings.publicUrl, {
      // The scanner's fallback decoder is WebAssembly.
      'script-src': `'self' '${cspHash(tapQueue)}' 'wasm-unsafe-eval'`,
      'style-src': `'self' '${cspHash(css)}'`,
      'media-src': "'self' blob:",
      'trusted-types': "'none'",
    }),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  }
}

const cspHash = (inline: string): string => `sha256-${createHash('sha256').update(inline).digest('base64')}`

const chooseEncoding = (accepted: string): 'br' | 'gzip' | null =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null

async function compress(html: string, encoding: 'br' | 'gzip' | null): Promise<string | Buffer> {
  if (encoding === null) return html
  if (encoding === 'gzip') return promisify(gzip)(html)
  return promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}
