import { api, type Input, type Reply, type Route } from '#contract/api.ts'
import * as accounts from '../core/accounts.ts'
import * as analytics from '../core/analytics.ts'
import * as auditLog from '../core/audit-log.ts'
import type { Actor } from '../core/actor.ts'
import * as billing from '../core/billing.ts'
import * as confirmation from '../core/confirmation.ts'
import type { Ctx } from '../core/ports.ts'
import * as crew from '../core/crew.ts'
import * as deviceCodes from '../core/device-codes.ts'
import * as devices from '../core/devices.ts'
import * as floor from '../core/floor.ts'
import * as ladder from '../core/ladder.ts'
import * as managers from '../core/managers.ts'
import * as ownSessions from '../core/own-sessions.ts'
import * as ownerNotices from '../core/owner-notices.ts'
import * as passkeyLogin from '../core/passkey-login.ts'
import * as passkeys from '../core/passkeys.ts'
import * as qr from '../core/qr.ts'
import * as recoveryCodes from '../core/recovery-codes.ts'
import * as recovery from '../core/recovery.ts'
import * as requests from '../core/requests.ts'
import * as restaurantLogin from '../core/restaurant-login.ts'
import * as restaurantPassword from '../core/restaurant-password.ts'
import * as restaurants from '../core/restaurants.ts'
import type { SignedIn } from '../core/sessions.ts'
import * as secondFactor from '../core/second-factor.ts'
import * as signedInDevices from '../core/signed-in-devices.ts'
import * as staffPassword from '../core/staff-password.ts'
import * as subscribing from '../core/subscribing.ts'
import * as visits from '../core/visits.ts'

/** A reply with more to it than its body. */
export class Answer<T> {
  readonly body: T
  readonly status: number | undefined
  readonly cookie: string | undefined
  readonly deviceCookie: string | undefined
  readonly challengeCookie: string | undefined

  constructor(
    body: T,
    more: { status?: number; cookie?: string; deviceCookie?: string | undefined; challengeCookie?: string },
  ) {
    this.body = body
    this.status = more.status
    this.cookie = more.cookie
    this.deviceCookie = more.deviceCookie
    this.challengeCookie = more.challengeCookie
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
  const { cookie, deviceCookie, reply } = await login
  return new Answer(reply, { cookie, deviceCookie })
}

export const endpoints: Endpoint[] = [
  on(api.accounts.currentUser, (ctx, actor) => accounts.currentUser(ctx, actor)),
  on(api.accounts.session, (ctx, actor) => accounts.session(ctx, actor)),
  on(api.accounts.setupRestaurant, (ctx, actor, { body }) => accounts.setupRestaurant(ctx, actor, body)),
  on(api.accounts.signUp, (ctx, actor, { body }) => signedIn(accounts.signUp(ctx, actor, body))),
  on(api.accounts.restaurantLogin, (ctx, actor, { body }) =>
    signedIn(restaurantLogin.login(ctx, actor, body)),
  ),
  on(api.accounts.setPassword, async (ctx, actor, { body }) => {
    const deviceCookie = await restaurantPassword.set(ctx, actor, body)
    return new Answer(undefined, { deviceCookie })
  }),
  on(api.accounts.identity, (ctx, actor) => confirmation.identity(ctx, actor)),
  on(api.accounts.confirmIdentity, (ctx, actor, { body }) => confirmation.confirm(ctx, actor, body)),
  on(api.accounts.confirmationChallenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = await confirmation.begin(ctx, actor)
    return new Answer(challenge, { challengeCookie })
  }),
  on(api.accounts.ownerLogin, (ctx, actor, { body }) => signedIn(accounts.ownerLogin(ctx, actor, body))),
  on(api.accounts.crewLogin, (ctx, actor, { body }) => signedIn(accounts.crewLogin(ctx, actor, body))),

  on(api.secondFactors.authenticator, (ctx, actor) => secondFactor.status(ctx, actor)),
  on(api.secondFactors.beginAuthenticator, (ctx, actor) => secondFactor.begin(ctx, actor)),
  on(api.secondFactors.turnAuthenticatorOn, (ctx, actor, { body }) => secondFactor.turnOn(ctx, actor, body)),
  on(api.secondFactors.turnAuthenticatorOff, (ctx, actor, { body }) =>
    secondFactor.turnOff(ctx, actor, body),
  ),

  on(api.passkeys.list, (ctx, actor) => passkeys.list(ctx, actor)),
  on(api.passkeys.setUp, async (ctx, actor) => {
    const { setup, challengeCookie } = await passkeys.begin(ctx, actor)
    return new Answer(setup, { challengeCookie })
  }),
  on(api.passkeys.add, (ctx, actor, { body }) => passkeys.add(ctx, actor, body)),
  on(api.passkeys.remove, (ctx, actor, { params }) => passkeys.remove(ctx, actor, params)),
  on(api.passkeys.challenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = passkeyLogin.begin(ctx, actor)
    return new Answer(challenge, { challengeCookie })
  }),
  on(api.passkeys.login, (ctx, actor, { body }) => signedIn(passkeyLogin.login(ctx, actor, body))),

  on(api.managers.check, (ctx, actor, { params }) => managers.check(ctx, actor, params)),
  on(api.managers.setup, (ctx, actor, { body }) => signedIn(managers.setUp(ctx, actor, body))),
  on(api.managers.login, (ctx, actor, { body }) => signedIn(managers.login(ctx, actor, body))),
  on(api.managers.currentUser, (ctx, actor) => managers.currentUser(ctx, actor)),
  on(api.managers.setCredentials, (ctx, actor, { body }) => managers.setCredentials(ctx, actor, body)),
  on(api.managers.remove, (ctx, actor, { params }) => managers.remove(ctx, actor, params)),
  on(api.managers.signOut, (ctx, actor, { params }) => managers.signOut(ctx, actor, params)),

  on(api.recovery.codes, (ctx, actor) => recoveryCodes.status(ctx, actor)),
  on(api.recovery.renewCodes, (ctx, actor) => recoveryCodes.renew(ctx, actor)),
  on(api.recovery.byCode, (ctx, actor, { body }) => recovery.byCode(ctx, actor, body)),
  on(api.recovery.byLink, (ctx, actor, { body }) => recovery.byLink(ctx, actor, body)),
  on(api.recovery.notices, (ctx, actor) => ownerNotices.list(ctx, actor)),
  on(api.recovery.dismissNotice, (ctx, actor, { params }) => ownerNotices.dismiss(ctx, actor, params)),

  on(api.devices.login, (ctx, actor, { body }) => signedIn(deviceCodes.login(ctx, actor, body))),
  on(api.devices.link, (ctx, actor, { body }) => deviceCodes.link(ctx, actor, body)),
  on(api.devices.linkLogin, (ctx, actor, { body }) => signedIn(deviceCodes.linkLogin(ctx, actor, body))),
  on(api.devices.createCode, (ctx, actor) => deviceCodes.create(ctx, actor)),
  on(api.devices.code, (ctx, actor, { params }) => deviceCodes.state(ctx, actor, params)),
  on(api.devices.cancelCode, (ctx, actor, { params }) => deviceCodes.cancel(ctx, actor, params)),
  on(api.devices.list, (ctx, actor) => signedInDevices.list(ctx, actor)),
  on(api.devices.rename, (ctx, actor, { params, body }) =>
    signedInDevices.rename(ctx, actor, { ...params, ...body }),
  ),
  on(api.devices.signOut, (ctx, actor, { params }) => signedInDevices.signOut(ctx, actor, params)),

  on(api.sessions.list, (ctx, actor) => ownSessions.list(ctx, actor)),
  on(api.sessions.signOut, (ctx, actor, { params }) => ownSessions.signOut(ctx, actor, params)),
  on(api.sessions.signOutOthers, (ctx, actor) => ownSessions.signOutOthers(ctx, actor)),

  on(api.staffPassword.state, (ctx, actor) => staffPassword.state(ctx, actor)),
  on(api.staffPassword.set, (ctx, actor, { body }) => staffPassword.set(ctx, actor, body)),
  on(api.staffPassword.remove, (ctx, actor) => staffPassword.remove(ctx, actor)),

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

  on(api.audit.list, (ctx, actor, { query }) => auditLog.list(ctx, actor, query)),
  on(
    api.audit.download,
    async (ctx, actor) => new Download('text/csv; charset=utf-8', await auditLog.download(ctx, actor)),
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
