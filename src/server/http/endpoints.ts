import { api, type Input, type Reply, type Route } from '#contract/api.ts'
import * as accounts from '../core/accounts.ts'
import * as analytics from '../core/analytics.ts'
import type { Actor } from '../core/actor.ts'
import * as billing from '../core/billing.ts'
import type { Ctx } from '../core/context.ts'
import * as crew from '../core/crew.ts'
import * as devices from '../core/devices.ts'
import * as floor from '../core/floor.ts'
import * as ladder from '../core/ladder.ts'
import * as managers from '../core/managers.ts'
import * as qr from '../core/qr.ts'
import * as requests from '../core/requests.ts'
import * as restaurantPassword from '../core/restaurant-password.ts'
import * as restaurants from '../core/restaurants.ts'
import type { SignedIn } from '../core/sessions.ts'
import * as subscribing from '../core/subscribing.ts'
import * as visits from '../core/visits.ts'

/** A reply with more to it than its body. */
export class Answer<T> {
  readonly body: T
  readonly status: number | undefined
  readonly cookie: string | undefined

  constructor(body: T, more: { status?: number; cookie?: string }) {
    this.body = body
    this.status = more.status
    this.cookie = more.cookie
  }
}

/** A file that is sent while it is made. */
export class Download {
  readonly name: string
  readonly type: string
  readonly chunks: AsyncIterable<Uint8Array>

  constructor(type: string, file: { name: string; chunks: AsyncIterable<Uint8Array> }) {
    this.type = type
    this.name = file.name
    this.chunks = file.chunks
  }
}

export type Endpoint = {
  route: Route
  run: (ctx: Ctx, actor: Actor, input: Input<Route>) => Promise<unknown>
}

/** Ties a route of the contract to an operation; the compiler checks input and reply against it. */
function on<R extends Route>(
  route: R,
  run: (ctx: Ctx, actor: Actor, input: Input<R>) => Promise<Reply<R> | Answer<Reply<R>> | Download>,
): Endpoint {
  return { route, run }
}

const signedIn = async <T>(login: Promise<SignedIn<T>>): Promise<Answer<T>> => {
  const { cookie, reply } = await login
  return new Answer(reply, { cookie })
}

export const endpoints: Endpoint[] = [
  on(api.accounts.currentUser, (ctx, actor) => accounts.currentUser(ctx, actor)),
  on(api.accounts.session, (ctx, actor) => accounts.session(ctx, actor)),
  on(api.accounts.setupRestaurant, (ctx, actor, { body }) => accounts.setupRestaurant(ctx, actor, body)),
  on(api.accounts.signUp, (ctx, actor, { body }) => signedIn(accounts.signUp(ctx, actor, body))),
  on(api.accounts.restaurantLogin, (ctx, actor, { body }) =>
    signedIn(accounts.restaurantLogin(ctx, actor, body)),
  ),
  on(api.accounts.setPassword, (ctx, actor, { body }) => restaurantPassword.set(ctx, actor, body)),
  on(api.accounts.ownerLogin, (ctx, actor, { body }) => signedIn(accounts.ownerLogin(ctx, actor, body))),
  on(api.accounts.crewLogin, (ctx, actor, { body }) => signedIn(accounts.crewLogin(ctx, actor, body))),

  on(api.managers.check, (ctx, actor, { params }) => managers.check(ctx, actor, params)),
  on(api.managers.setup, (ctx, actor, { body }) => signedIn(managers.setUp(ctx, actor, body))),
  on(api.managers.login, (ctx, actor, { body }) => signedIn(managers.login(ctx, actor, body))),
  on(api.managers.currentUser, (ctx, actor) => managers.currentUser(ctx, actor)),
  on(api.managers.setCredentials, (ctx, actor, { body }) => managers.setCredentials(ctx, actor, body)),
  on(api.managers.remove, (ctx, actor, { params }) => managers.remove(ctx, actor, params)),
  on(api.managers.dismissNotice, (ctx, actor) => managers.dismissNotice(ctx, actor)),

  on(api.crew.byRestaurant, (ctx, actor, { query }) => crew.byRestaurant(ctx, actor, query.restaurantId)),
  on(api.crew.list, (ctx, actor) => crew.list(ctx, actor)),
  on(api.crew.details, (ctx, actor, { params }) => crew.details(ctx, actor, params)),
  on(api.crew.add, (ctx, actor, { body }) => crew.add(ctx, actor, body)),
  on(api.crew.change, (ctx, actor, { params, body }) => crew.change(ctx, actor, params.id, body)),
  on(api.crew.remove, (ctx, actor, { params }) => crew.remove(ctx, actor, params.id)),

  on(api.floor.tablesByRestaurant, (ctx, actor, { query }) =>
    floor.tablesByRestaurant(ctx, actor, query.restaurantId),
  ),
  on(api.floor.crewAssignments, (ctx, actor, { query }) => floor.crewAssignments(ctx, actor, query)),
  on(api.floor.tables, (ctx, actor) => floor.tables(ctx, actor)),
  on(api.floor.hostStand, (ctx, actor) => floor.hostStand(ctx, actor)),
  on(api.floor.assignmentsByDate, (ctx, actor, { query }) => floor.assignmentsByDate(ctx, actor, query)),
  on(api.floor.assign, (ctx, actor, { body }) => floor.assign(ctx, actor, body)),
  on(api.floor.copyToWeek, (ctx, actor, { body }) => floor.copyToWeek(ctx, actor, body)),
  on(api.floor.assignHostStand, (ctx, actor, { body }) => floor.assignHostStand(ctx, actor, body)),
  on(api.floor.setUp, (ctx, actor, { body }) => floor.setUp(ctx, actor, body)),
  on(api.floor.addTable, (ctx, actor, { body }) => floor.addTable(ctx, actor, body)),
  on(api.floor.removeTable, (ctx, actor, { params, query }) =>
    floor.removeTable(ctx, actor, params.id, query.confirm === 'true'),
  ),

  on(api.qr.mine, (ctx, actor) => qr.mine(ctx, actor)),
  on(api.qr.generate, (ctx, actor, { body }) => qr.generate(ctx, actor, body)),
  on(api.qr.remove, (ctx, actor) => qr.remove(ctx, actor)),
  on(api.qr.sheet, (ctx, actor) => qr.sheet(ctx, actor)),

  on(api.billing.create, (ctx, actor, { body }) => subscribing.create(ctx, actor, body)),
  on(api.billing.confirm, (ctx, actor, { body }) => subscribing.confirm(ctx, actor, body)),
  on(api.billing.subscription, (ctx, actor, { query }) =>
    billing.subscription(ctx, actor, { fresh: query.fresh === 'true' }),
  ),
  on(api.billing.cancel, (ctx, actor) => billing.cancel(ctx, actor)),
  on(api.billing.resume, (ctx, actor) => billing.resume(ctx, actor)),
  on(api.billing.changePlan, (ctx, actor, { body }) => billing.changePlan(ctx, actor, body)),
  on(api.billing.portal, (ctx, actor) => billing.portal(ctx, actor)),
  on(api.billing.config, (ctx, actor) => billing.config(ctx, actor)),
  on(api.billing.confirmSandboxSetup, (ctx, actor, { params, body }) =>
    subscribing.confirmSandboxSetup(ctx, actor, params.id, body),
  ),
  on(api.billing.advanceSandbox, (ctx, actor) => billing.advanceSandbox(ctx, actor)),

  on(api.restaurant.settings, (ctx, actor) => restaurants.settings(ctx, actor)),
  on(api.restaurant.change, (ctx, actor, { body }) => restaurants.change(ctx, actor, body)),

  on(api.analytics.figures, (ctx, actor, { query }) => analytics.figures(ctx, actor, query)),
  on(api.analytics.overview, (ctx, actor) => analytics.overview(ctx, actor)),
  on(
    api.analytics.events,
    async (ctx, actor, { query }) =>
      new Download('text/csv; charset=utf-8', await analytics.events(ctx, actor, query)),
  ),

  on(api.alerts.settings, (ctx, actor) => ladder.settings(ctx, actor)),
  on(api.alerts.setSettings, (ctx, actor, { body }) => ladder.setSettings(ctx, actor, body)),

  on(api.push.key, (ctx, actor) => devices.key(ctx, actor)),
  on(api.push.subscribe, (ctx, actor, { body }) => devices.subscribe(ctx, actor, body)),
  on(api.push.unsubscribe, (ctx, actor, { params }) => devices.unsubscribe(ctx, actor, params)),

  on(api.requests.send, async (ctx, actor, { body }) => {
    const { request, created } = await requests.send(ctx, actor, body)
    return new Answer({ request }, { status: created ? 201 : 200 })
  }),
  on(api.requests.mine, (ctx, actor, { query }) => visits.mine(ctx, actor, query)),
  on(api.requests.cancel, (ctx, actor, { params }) => requests.cancel(ctx, actor, params)),
  on(api.requests.stillWaiting, (ctx, actor, { params }) => requests.stillWaiting(ctx, actor, params)),
]
