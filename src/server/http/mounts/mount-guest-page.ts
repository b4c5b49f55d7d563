import type { FastifyRequest } from 'fastify'
import { NewGuestNote } from '#contract/guests/manager-notes.ts'
import { GuestFields } from '#contract/guests/visits.ts'
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
import type { Cookies } from '../cookies.ts'
import { type HttpServer, setRefusalStatus } from '../server.ts'
import type { GuestBundle } from './guest-html.ts'
import { createGuestPages, guestUrl } from './guest-pages.ts'

/** The page that a worker keeps. */
const isToKeep = (url: string): boolean => /^\/customer\?(.*&)?kept=/u.test(url)

/** Renders /customer on the server, so that it works before its script arrives, and without one. */
export function mountGuestPage(
  server: HttpServer,
  ctx: Ctx,
  cookies: Cookies,
  bundle: GuestBundle,
  options: { worker: boolean },
): void {
  const { guestCatalogues: catalogues } = ctx
  const pages = createGuestPages(ctx, cookies, bundle)

  // A worker that meets this answer leaves for good.
  if (!options.worker)
    server.addHook('onRequest', async (request, reply) => {
      if (request.url.startsWith('/guest-worker.js') || isToKeep(request.url)) return reply.code(410).send()
      return undefined
    })

  server.register(async (page) => {
    page.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 8_192 },
      async (_request: FastifyRequest, body: string | Buffer) =>
        Object.fromEntries(new URLSearchParams(body.toString())),
    )
    page.addHook('preValidation', (request, reply) =>
      server.identify(request, reply, isToKeep(request.url) ? 'existing' : 'create-if-missing'),
    )

    // Guests get a page, not JSON, even when the database is unavailable.
    page.setErrorHandler((error, request, reply) => {
      const refusal = toRefusal(error)
      if (refusal?.code !== 'unavailable') throw error
      ctx.log.warn({ error }, 'database unavailable')
      setRefusalStatus(reply, refusal)
      const fields = parseOrThrow(GuestFields, request.body ?? request.query)
      return pages.sendUnavailable(request, reply, fields)
    })

    page.get('/customer', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.query)
      if (catalogues.has(fields.lang)) {
        void reply.header('set-cookie', cookies.set('language', fields.lang))
        // A browser that sends cookies also keeps this one. Otherwise the language stays in the address.
        if (request.headers.cookie !== undefined)
          return reply.redirect(guestUrl({ ...fields, lang: '' }), 303)
      }
      if (fields.kept !== '') return pages.sendToKeep(request, reply, fields)
      return pages.send(request, reply, fields)
    })

    // Some keyboards begin with a capital.
    for (const path of ['/t/:code', '/T/:code'])
      page.get<{ Params: { code: string } }>(path, async (request, reply) => {
        const fields = parseOrThrow(GuestFields, {})
        try {
          const link = await shortLinks.open(ctx, request.actor, request.params.code)
          return await reply.headers(pages.headers).redirect(guestUrl({ ...fields, ...link }), 303)
        } catch (error) {
          return await pages.sendRefused(request, reply, fields, error)
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
      if (!table.ok) return reply.redirect(pages.pageUrl(fields), 303)
      try {
        const card = await openGuestCard(ctx, request.actor, table.value)
        return await pages.sendCard(request, reply, fields, card)
      } catch (error) {
        if (toRefusal(error)?.code !== 'not_found') throw error
        return reply.redirect(pages.pageUrl(fields), 303)
      }
    })

    page.post('/customer', async (request, reply) => {
      const fields = parseOrThrow(GuestFields, request.body ?? {})
      try {
        const { sent, noteCut } = await performAction(ctx, request, fields)
        if (noteCut) return await pages.send(request, reply, { ...fields, from: '' }, { noteCut })
        return await reply.redirect(pages.pageUrl({ ...fields, from: '', sent }), 303)
      } catch (error) {
        return await pages.sendRefused(request, reply, fields, error)
      }
    })
  })
}

/** `sent`: the id of the stored request, or an empty string if there is none. */
type Performed = { sent: string; noteCut?: true | undefined }
const nothingSent: Performed = { sent: '' }

/** Handles a plain form. */
async function performAction(ctx: Ctx, { actor }: FastifyRequest, fields: GuestFields): Promise<Performed> {
  const table = { restaurantId: fields.r || undefined, tableNumber: fields.t }
  switch (fields.action) {
    case 'cancel':
      await requests.cancel(ctx, actor, parseOrThrow(RequestRef, fields))
      return nothingSent
    case 'still-waiting':
      await requests.stillWaiting(ctx, actor, parseOrThrow(RequestRef, fields))
      return nothingSent
    case 'word': {
      const { id, k, word: text } = fields
      const note = { ...table, id: `${id}-word`, k: k || undefined, text }
      await managerNotes.send(ctx, actor, parseOrThrow(NewGuestNote, note))
      return nothingSent
    }
    case 'correct': {
      const { from, k } = fields
      await correctTable(ctx, actor, parseOrThrow(TableCorrection, { ...table, from, k: k || undefined }))
      return nothingSent
    }
    case 'reset':
      await visits.resetVisit(ctx, actor, parseOrThrow(TableRef, table))
      return nothingSent
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
      const { request, noteCut } = await requests.send(ctx, actor, parseOrThrow(NewServiceRequest, tap))
      return { sent: request.id, noteCut }
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

function parseOrThrow<S extends Parameters<typeof parse>[0]>(schema: S, input: unknown) {
  const parsed = parse(schema, input)
  if (!parsed.ok) throw invalid(parsed.message)
  return parsed.value
}
