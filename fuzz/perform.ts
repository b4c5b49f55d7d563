import * as v from 'valibot'
import { ErrorBody, errorStatus } from '#contract/errors.ts'
import { ServerMessage } from '#contract/live.ts'
import { parse } from '#contract/parse.ts'
import type { Received } from '../simulation/wire.ts'
import { type Call, type Input, type Message, routes } from './inputs.ts'
import { encode, type Page, toQuery, toText } from './pages.ts'
import { parseText } from './parsers.ts'
import type { World } from './world.ts'

export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

const internals = /\bexpected\b|received|undefined|sqlite|postgres|constraint|\.ts:\d/iu

/** A login is made in a new browser, because it changes who is signed in. */
const isLogin = /-(?:login|signup)$/u
/** After these, those who are signed in have another restaurant, or none. */
const leaving: ReadonlySet<string> = new Set(['restaurant.remove', 'ownRestaurants.switchTo'])

/** Throws if the server, or a parser, does with the input what it must not. */
export async function perform(world: World, input: Input): Promise<void> {
  await world.beforeInput()
  switch (input.kind) {
    case 'call':
      await performCall(world, input)
      break
    case 'message':
      await sendMessage(world, input)
      break
    case 'page':
      await performPage(world, input)
      break
    case 'wait':
      await world.passTime(input.seconds)
      break
    case 'text':
      parseText(input)
  }
  const [error] = world.takeErrors()
  if (error !== undefined) throw new BrokenPromise(`The server logged ${error}`)
}

async function performCall(world: World, { by, operation, params, query, body }: Call): Promise<void> {
  const route = routes.get(operation)
  if (!route) throw new Error(`${operation} is not a route`)
  const given = body === undefined ? undefined : world.resolve(JSON.stringify(body), inJson)
  const client = isLogin.test(route.path) ? world.newClient() : world.clientOf(by)
  const path = pathOf(route.path, params)
  const search = query === undefined ? '' : `?${toQuery(query)}`
  const answer = await client.send({
    method: route.method,
    path: encodeRest(world.resolve(path + search, encode)),
    headers: {
      'x-forwarded-for': world.nextAddress(),
      ...(given !== undefined && { 'content-type': 'application/json' }),
    },
    body: given,
  })
  checkCall(answer)
  if (answer.status < 300) {
    if (route.body && !parse(route.body, JSON.parse(given ?? '{}')).ok)
      throw new BrokenPromise(`${operation} took what its contract refuses`)
    const isJson = answer.type.startsWith('application/json')
    if (route.reply && isJson && !v.is(route.reply, JSON.parse(answer.text)))
      throw new BrokenPromise(`${operation} answered ${answer.text}, which its contract refuses`)
    if (leaving.has(operation)) await world.replaceRestaurant()
  } else if (answer.status === 401 || answer.text.includes('"recent_sign_in_required"'))
    await world.signInAgain(by)
}

const pathOf = (path: string, params: unknown): string =>
  path.replace(/:(\w+)/u, (_all, name: string) => {
    const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : params
    return encode(toText(value))
  })

const encodeRest = (path: string): string => path.replaceAll(/[^\x21-\x7e]/gu, encode)

const inJson = (name: string): string => JSON.stringify(name).slice(1, -1)

function checkCall(answer: Received): void {
  const { status, text } = answer
  // The HTTP server itself refuses headers that are too large, before there is a call.
  if (status < 400 || status === 431) return
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ErrorBody), text)
  const isRefusal =
    status < 500 &&
    parsed.success &&
    errorStatus[parsed.output.code] === status &&
    // It may begin with a name.
    /^[\p{L}\d].{3,}/u.test(parsed.output.message) &&
    !internals.test(parsed.output.message)
  if (!isRefusal) throw new BrokenPromise(`${status} ${text.slice(0, 500)}`)
}

async function sendMessage(world: World, { by, message }: Message): Promise<void> {
  const text = world.resolve(JSON.stringify(message) ?? 'undefined', inJson)
  const answers = await world.clientOf(by).tell(text)
  if (answers === null) return world.signInAgain(by)
  for (const answer of answers) {
    if (!v.is(ServerMessage, answer))
      throw new BrokenPromise(`The server sent ${JSON.stringify(answer)}, which its contract refuses`)
    if (answer.type === 'error' && errorStatus[answer.code] >= 500)
      throw new BrokenPromise(`The server answered ${JSON.stringify(answer)}`)
  }
}

const markup = /<x-y>|<img src=x onerror/u

async function performPage(world: World, { method, path, headers, body }: Page): Promise<void> {
  const answer = await world.clientOf('guest').send({
    method,
    path: encodeRest(world.resolve(path, encode)),
    headers: { 'x-forwarded-for': world.nextAddress(), ...resolveHeaders(world, headers) },
    body: body === undefined ? undefined : world.resolve(body, encode),
  })
  if (answer.status >= 500) throw new BrokenPromise(`${answer.status} ${answer.text.slice(0, 500)}`)
  if (answer.type.startsWith('text/html') && markup.test(answer.text))
    throw new BrokenPromise('The page holds markup of the input')
}

/** Node refuses to send the characters that no header may hold. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/gu

const resolveHeaders = (world: World, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, world.resolve(value).replaceAll(unsendable, '')]),
  )
