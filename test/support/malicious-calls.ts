import * as v from 'valibot'
import { beforeAll } from 'vitest'
import type { Route } from '#contract/api.ts'
import { ErrorBody, errorStatus, RefusalParams } from '#contract/errors.ts'
import { ClientMessage, type ServerMessage } from '#contract/live.ts'
import { operationOf } from '#contract/permissions.ts'
import { endpoints } from '../../src/server/http/endpoints.ts'
import { password, setUpApp, type TestBrowser, type TestResponse, type TestSocket } from './app.ts'
import { rightFields } from './contract-fields.ts'
import { uniqueAddress } from './restaurants/logins.ts'
import { assignmentDay, snapshotTenant, startTenant, type Tenant } from './restaurants/tenants.ts'

export const atNoon = { scheduler: 'manual', clock: 'noon' } as const

export const routes: Route[] = endpoints.map(({ route }) => route)
export const withBody = routes.filter(({ body }) => body !== undefined)
export const named = (list: Route[]): [string, Route][] => list.map((route) => [operationOf(route), route])

export const messages = ClientMessage.options.map(
  (option) =>
    [option.entries.type.literal, Object.keys(option.entries).filter((key) => key !== 'type')] as const,
)

type Answered = Pick<TestResponse<unknown>, 'status' | 'body'>

const RefusalOnly = v.strictObject({
  ...ErrorBody.entries,
  params: v.optional(v.strictObject(RefusalParams.entries)),
})

/** A readable message, with a code that matches the status and no internal details. */
function isRefusal({ status, body }: Answered): boolean {
  const parsed = v.safeParse(RefusalOnly, body)
  if (!parsed.success || errorStatus[parsed.output.code] !== status) return false
  const { message } = parsed.output
  return (
    /^[A-Z].{3,}/u.test(message) && !/\bexpected\b|received|undefined|sql|constraint|stack/iu.test(message)
  )
}

/** Throws if the answer is a server error, or has one of these statuses without a readable message. */
export function check(what: string, answer: Answered, statuses?: number[]): void {
  const { status } = answer
  const right = statuses ? statuses.includes(status) : status < 500
  if (right && (status < 400 || isRefusal(answer))) return
  throw new Error(`${what.slice(0, 160)}: ${status} ${JSON.stringify(answer.body)}`)
}

export const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

export const pathOf = (route: Route, param = 'no-such-thing'): string =>
  route.path.replace(/:\w+/u, encodeURIComponent(param))

export async function send(
  browser: TestBrowser,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestResponse<unknown>> {
  const response = await browser.fetch(path, {
    method,
    headers: {
      'x-forwarded-for': uniqueAddress(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
}

/** The answer to a message, as an HTTP call would be answered. */
function inHttp(answer: ServerMessage | undefined): Answered {
  if (answer?.type === 'ack') return { status: 200, body: null }
  if (answer?.type !== 'error') return { status: 500, body: answer }
  return { status: errorStatus[answer.code], body: { code: answer.code, message: answer.message } }
}

/** A server with one restaurant, for the tests of a file to send it anything at all. */
export function setUpMaliciousCalls() {
  const app = setUpApp({ ...atNoon, trustProxy: ['loopback'] })
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await startTenant(app, 'Harbour Kitchen')
  })
  let refs = 0

  /** The owner may call everything; logins use a new browser, since they change who is signed in. */
  const callerOf = ({ path }: Route): TestBrowser =>
    /-(?:login|signup)$/u.test(path) ? app.browser() : tenant.owner

  /** Sends it as whoever may call this, by default to an address that names nothing there is. */
  const call = (route: Route, body?: unknown, path = pathOf(route)): Promise<TestResponse<unknown>> =>
    send(callerOf(route), route.method, path, body)

  /** A body whose fields are all right. */
  const base = (fields: string[]): Record<string, unknown> =>
    rightFields(fields, {
      restaurantName: tenant.name,
      password,
      day: assignmentDay,
      tableId: tenant.table.id,
      tableNumber: tenant.table.tableNumber,
      crewMemberId: tenant.member.id,
      colleagueId: tenant.colleague.id,
      hostId: tenant.host.id,
    })

  /** A screen of the owner that acts as a crew member. */
  async function screen(): Promise<TestSocket> {
    const socket = await tenant.owner.connect({ 'x-forwarded-for': uniqueAddress() })
    await socket.request({ type: 'set-crew-member-context', crewMemberId: tenant.member.id })
    return socket
  }

  async function tell(socket: TestSocket, message: object, ref = `malicious ${++refs}`): Promise<Answered> {
    // A socket may send at most 20 messages a second, and these are two.
    app.advance(120)
    socket.sendRaw(JSON.stringify({ ref, ...message }))
    await socket.request({ type: 'ping' })
    return inHttp(
      socket.received.find(
        (answer) => (answer.type === 'ack' || answer.type === 'error') && answer.ref === ref,
      ),
    )
  }

  return {
    app,
    get tenant() {
      return tenant
    },
    /** All that is stored of the restaurant. */
    snapshot: () => snapshotTenant(app, tenant.id),
    callerOf,
    call,
    base,
    screen,
    tell,
  }
}
