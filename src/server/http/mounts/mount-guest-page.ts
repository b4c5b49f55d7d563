import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalBody } from '#contract/errors.ts'
import { NewGuestNote } from '#contract/guests/manager-notes.ts'
import { GuestFields, type GuestPage, type PageLanguage } from '#contract/guests/visits.ts'
import { parse } from '#contract/parse.ts'
import { NewServiceRequest, RequestRef, TableCorrection, TableRef } from '#contract/requests/requests.ts'
import type { Ctx } from '../../core/ctx.ts'
import { invalid, toRefusal } from '../../core/errors.ts'
import { openGuestCard } from '../../core/guests/guest-card-page.ts'
import * as managerNotes from '../../core/guests/manager-notes.ts'
import * as shortLinks from '../../core/guests/short-links.ts'
import * as visits from '../../core/guests/visits.ts'
import { correctTable } from '../../core/requests/moves/table-corrections.ts'
import * as requests from '../../core/requests/requests.ts'
import { contentSecurityPolicy } from '../content-security-policy.ts'
import type { Cookies } from '../cookies.ts'
import { type HttpServer, setRefusalStatus } from '../server.ts'
import { type GuestBundle, renderCardHtml, renderGuestHtml, renderUnavailableHtml } from './guest-html.ts'
import { createLanguageChooser } from './guest-language.ts'

/** Renders /customer on the server, so that it works before its script arrives, and without one. */
export function mountGuestPage(
  server: HttpServer,
  ctx: Ctx,
  cookies: Cookies,
  bundle: GuestBundle,
  options: { worker: boolean },
): void {
  const { css, tapQueue, ownNeedsCss, cardCss, cardScript } = bundle
  const { guestCatalogues: catalogues } = ctx
  const headers = pageHeaders(ctx, { styles: [css], scripts: [tapQueue] })
  const ownNeedsHeaders = pageHeaders(ctx, { styles: [css, ownNeedsCss], scripts: [tapQueue] })
  const headersOf = ({ needs }: Pick<GuestPage, 'needs'>) => (needs ? ownNeedsHeaders : headers)
  const cardHeaders = pageHeaders(ctx, { styles: [css, cardCss], scripts: [cardScript] })
  const chooseLanguage = createLanguageChooser(catalogues, cookies)

  // A worker that meets this answer leaves for good.
  if (!options.worker)
    server.addHook('onRequest', async (request, reply) => {
      if (/^\/(guest-worker\.js|customer\?(.*&)?kept=)/u.test(request.url)) return reply.code(410).send()
      return undefined
    })

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
      const fields = parseOrThrow(GuestFields, request.body ?? request.query)
      const language = chooseLanguage(request, fields)
      return reply.headers(headers).send(renderUnavailableHtml(bundle, language, pageUrl(fields)))
    })

    page.get('/customer', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.query)
      if (catalogues.has(fields.lang)) {
        void reply.header('set-cookie', cookies.set('language', fields.lang))
        // A browser that sends cookies also keeps this one. Otherwise the language stays in the address.
        if (request.headers.cookie !== undefined)
          return reply.redirect(guestUrl({ ...fields, lang: '' }), 303)
      }
      if (fields.kept !== '') return sendPageToKeep(request, reply, fields)
      return sendPage(request, reply, fields)
    })

    // Some keyboards begin with a capital.
    for (const path of ['/t/:code', '/T/:code'])
      page.get<{ Params: { code: string } }>(path, async (request, reply) => {
        const fields = parseOrThrow(GuestFields, {})
        try {
          const link = await shortLinks.open(ctx, request.actor, request.params.code)
          return await reply.headers(headers).redirect(guestUrl({ ...fields, ...link }), 303)
        } catch (error) {
          return await sendRefused(request, reply, fields, error)
        }
      })

    page.get('/customer/card', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.query)
      const table = parse(TableRef, {
        restaurantId: fields.r,
        tableNumber: fields.t,
        k: fields.k || undefined,
      })
      // The page of the table says what is wrong with it.
      if (!table.ok) return reply.redirect(pageUrl(fields), 303)
      try {
        const card = await openGuestCard(ctx, request.actor, table.value)
        const html = renderCardHtml(bundle, card, fields, chooseLanguage(request, fields, { card: {} }))
        return await sendHtml(request, reply.headers(cardHeaders), html)
      } catch (error) {
        if (toRefusal(error)?.code !== 'not_found') throw error
        return reply.redirect(pageUrl(fields), 303)
      }
    })

    page.post('/customer', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.body ?? {})
      try {
        const sent = await performAction(ctx, request, fields)
        return await reply.redirect(pageUrl({ ...fields, from: '', sent }), 303)
      } catch (error) {
        return await sendRefused(request, reply, fields, error)
      }
    })
  })

  async function sendRefused(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: GuestFields,
    error: unknown,
  ) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    setRefusalStatus(reply, refusal)
    const { code, message, params } = refusal
    return await sendPage(request, reply, fields, { code, message, params })
  }

  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: GuestFields,
    refused: RefusalBody | null = null,
  ) {
    const view = await buildPage(ctx, request, fields, refused)
    const page = { ...view, ...chooseLanguage(request, fields, view) }
    const draft = fields.action === 'word' ? fields.word : null
    // A page that loads again by itself would take away what the guest writes.
    const menu = page.tableNumber === null || draft !== null ? null : pageUrl(fields)
    return sendHtml(request, reply.headers(headersOf(page)), renderGuestHtml(bundle, page, { menu, draft }))
  }

  async function sendPageToKeep(request: FastifyRequest, reply: FastifyReply, fields: GuestFields) {
    const view = withoutState(await buildPage(ctx, request, fields, null))
    if (!view) return reply.code(404).headers(headers).send()
    const page = { ...view, ...chooseLanguage(request, fields, view) }
    const html = renderGuestHtml(bundle, page, { menu: null, draft: null })
    return sendHtml(request, reply.headers(headersOf(page)), html)
  }

  /** With the language only if it is there. */
  const pageUrl = (fields: GuestFields): string =>
    guestUrl({ ...fields, lang: catalogues.has(fields.lang) ? fields.lang : '' })
}

async function sendHtml(request: FastifyRequest, reply: FastifyReply, html: string) {
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '')
  if (encoding) void reply.header('content-encoding', encoding)
  return reply.send(await compress(html, encoding))
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
    case 'word': {
      const { id, k, word: text } = fields
      const note = { ...table, id: `${id}-word`, k: k || undefined, text }
      await managerNotes.send(ctx, actor, parseOrThrow(NewGuestNote, note))
      return ''
    }
    case 'correct': {
      const { from, k } = fields
      await correctTable(ctx, actor, parseOrThrow(TableCorrection, { ...table, from, k: k || undefined }))
      return ''
    }
    case 'reset':
      await visits.resetVisit(ctx, actor, parseOrThrow(TableRef, table))
      return ''
    default: {
      const { id, serviceType, need, choice, note, k } = fields
      const tap = {
        ...table,
        serviceType,
        need: need || undefined,
        choice: choice || undefined,
        note: note || undefined,
        k: k || undefined,
        ...(id !== '' && { id: tapId(ctx, fields) }),
      }
      return (await requests.send(ctx, actor, parseOrThrow(NewServiceRequest, tap))).request.id
    }
  }
}

/** The page has one id, and each of its buttons and each note counts as a separate tap. */
function tapId(ctx: Ctx, { id, serviceType, need, choice, note }: GuestFields): string {
  const pressed = [need || serviceType, choice].filter(Boolean).join('-')
  // Guests see the ids of requests, and must not be able to guess a note from one.
  const asked = note === '' ? pressed : ctx.secrets.sign(ctx.installationKey, `tap|${id}|${pressed}|${note}`)
  return `${id}-${asked}`
}

async function buildPage(
  ctx: Ctx,
  { actor }: FastifyRequest,
  { r, t, k, from, sent, manual }: GuestFields,
  refused: RefusalBody | null,
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

function parseOrThrow<S extends Parameters<typeof parse>[0]>(schema: S, input: unknown) {
  const parsed = parse(schema, input)
  if (!parsed.ok) throw invalid(parsed.message)
  return parsed.value
}

function guestUrl({ r, t, k, from, manual, lang, sent }: GuestFields): string {
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
  const hashes = (inlined: string[]): string => inlined.map((text) => `'${cspHash(text)}'`).join(' ')
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

const cspHash = (inline: string): string => `sha256-${createHash('sha256').update(inline).digest('base64')}`

const chooseEncoding = (accepted: string): 'br' | 'gzip' | null =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null

async function compress(html: string, encoding: 'br' | 'gzip' | null): Promise<string | Buffer> {
  if (encoding === null) return html
  if (encoding === 'gzip') return promisify(gzip)(html)
  return promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}
