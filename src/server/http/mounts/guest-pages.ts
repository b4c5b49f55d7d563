import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GuestFields, GuestPage, PageLanguage } from '#contract/guests/visits.ts'
import { parse } from '#contract/parse.ts'
import { TableRef } from '#contract/requests/requests.ts'
import type { Ctx } from '../../core/ctx.ts'
import { toRefusal } from '../../core/errors.ts'
import type { openGuestCard } from '../../core/guests/guest-card-page.ts'
import * as visits from '../../core/guests/visits.ts'
import { contentSecurityPolicy, hashSource } from '../content-security-policy.ts'
import type { Cookies } from '../cookies.ts'
import { setRefusalStatus } from '../server.ts'
import { type GuestBundle, renderCardHtml, renderGuestHtml, renderUnavailableHtml } from './guest-html.ts'
import { createLanguageChooser } from './guest-language.ts'

/** What became of a plain form, unless all is well. */
type Outcome = Partial<Pick<GuestPage, 'refused' | 'noteCut'>>

type Card = Awaited<ReturnType<typeof openGuestCard>>

/** Sends the guest page and its card in the guest's language, with what is inlined in them. */
export function createGuestPages(ctx: Ctx, cookies: Cookies, bundle: GuestBundle) {
  const { css, tapQueue, ownNeedsCss, cardCss, cardScript } = bundle
  const { guestCatalogues: catalogues } = ctx
  const headers = pageHeaders(ctx, { styles: [css], scripts: [tapQueue] })
  const ownNeedsHeaders = pageHeaders(ctx, { styles: [css, ownNeedsCss], scripts: [tapQueue] })
  const headersOf = ({ needs }: Pick<GuestPage, 'needs'>) => (needs ? ownNeedsHeaders : headers)
  const cardHeaders = pageHeaders(ctx, { styles: [css, cardCss], scripts: [cardScript] })
  const chooseLanguage = createLanguageChooser(catalogues, cookies)

  /** With the language only if it is there. */
  const pageUrl = (fields: GuestFields): string =>
    guestUrl({ ...fields, lang: catalogues.has(fields.lang) ? fields.lang : '' })

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: GuestFields,
    outcome: Outcome = {},
  ) {
    const view = await buildPage(ctx, request, fields, outcome)
    const page = { ...view, ...chooseLanguage(request, fields, view) }
    const draft = fields.action === 'word' ? fields.word : null
    // A page that loads again by itself would take away what the guest writes.
    const menu = page.tableNumber === null || draft !== null ? null : pageUrl(fields)
    return sendHtml(request, reply.headers(headersOf(page)), renderGuestHtml(bundle, page, { menu, draft }))
  }

  async function sendToKeep(request: FastifyRequest, reply: FastifyReply, fields: GuestFields) {
    const view = withoutState(await buildPage(ctx, request, fields))
    if (!view) return reply.code(404).headers(headers).send()
    const page = { ...view, ...chooseLanguage(request, fields, view) }
    const html = renderGuestHtml(bundle, page, { menu: null, draft: null })
    return sendHtml(request, reply.headers(headersOf(page)), html)
  }

  function sendRefused(request: FastifyRequest, reply: FastifyReply, fields: GuestFields, error: unknown) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    setRefusalStatus(reply, refusal)
    const { code, message, params } = refusal
    return send(request, reply, fields, { refused: { code, message, params } })
  }

  function sendUnavailable(request: FastifyRequest, reply: FastifyReply, fields: GuestFields) {
    const language = chooseLanguage(request, fields)
    return reply.headers(headers).send(renderUnavailableHtml(bundle, language, pageUrl(fields)))
  }

  function sendCard(request: FastifyRequest, reply: FastifyReply, fields: GuestFields, card: Card) {
    const html = renderCardHtml(bundle, card, fields, chooseLanguage(request, fields))
    return sendHtml(request, reply.headers(cardHeaders), html)
  }

  return { headers, pageUrl, send, sendToKeep, sendRefused, sendUnavailable, sendCard }
}

async function sendHtml(request: FastifyRequest, reply: FastifyReply, html: string) {
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '')
  if (encoding) void reply.header('content-encoding', encoding)
  return reply.send(await compress(html, encoding))
}

async function buildPage(
  ctx: Ctx,
  { actor }: FastifyRequest,
  { r, t, k, from, sent, manual }: GuestFields,
  { refused = null, noteCut }: Outcome = {},
): Promise<UntranslatedPage> {
  const table = parse(TableRef, { restaurantId: r, tableNumber: t, k: k || undefined })
  const view = await visits.openGuestPage(ctx, actor, table.ok ? table.value : { restaurantId: r })
  const isIncomplete = r === '' || t === ''
  const problem =
    view.problem ?? (table.ok || isIncomplete ? null : { code: 'invalid' as const, message: table.message })
  return {
    ...view,
    problem,
    given: { restaurantId: r || null, tableNumber: t || null, k: k || null, ...(from !== '' && { from }) },
    manual: manual !== '',
    // Only a request that is stored and open is shown as sent.
    sent: view.requests.find(({ id }) => id === sent) ?? null,
    refused: problem === null && !view.expired && view.barrier === null ? refused : null,
    noteCut,
    formId: ctx.newId(),
    now: ctx.now(),
  }
}

type UntranslatedPage = Omit<GuestPage, keyof PageLanguage>

/** What stays the same on the next visit; null unless guests can ask from this table. */
function withoutState(page: UntranslatedPage): UntranslatedPage | null {
  const { closedUntil: _until, pauses: _pauses, timeZone: _zone, ...lasting } = page
  if (page.problem !== null || page.expired || page.tableNumber === null) return null
  return {
    ...lasting,
    tableNumber: page.moved === true ? page.given.tableNumber : page.tableNumber,
    moved: false,
    requests: [],
    mine: [],
    ...(page.notes && { notes: [] }),
    listening: true,
    barrier: null,
    kept: 0,
  }
}

export function guestUrl({ r, t, k, from, manual, lang, sent }: GuestFields): string {
  const query = new URLSearchParams(
    Object.entries({ r, t, k, from, manual, lang, sent }).filter(([, value]) => value !== ''),
  )
  return `/customer?${query.toString()}`
}

/** With what is inlined in the page. */
function pageHeaders(
  ctx: Ctx,
  { styles, scripts }: { styles: string[]; scripts: string[] },
): Record<string, string> {
  const hashes = (inlined: string[]): string => inlined.map(hashSource).join(' ')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(ctx.settings.publicUrl, {
      // The scanner's fallback decoder is WebAssembly.
      'script-src': `'self' ${hashes(scripts)} 'wasm-unsafe-eval'`,
      'style-src': `'self' ${hashes(styles)}`,
      'media-src': "'self' blob:",
    }),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    vary: 'accept-encoding, accept-language, cookie',
  }
}

const chooseEncoding = (accepted: string): 'br' | 'gzip' | null =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null

async function compress(html: string, encoding: 'br' | 'gzip' | null): Promise<string | Buffer> {
  if (encoding === null) return html
  if (encoding === 'gzip') return promisify(gzip)(html)
  return promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}
