import { api } from '#contract/api.ts'
import * as accounts from '../core/accounts/accounts.ts'
import * as analytics from '../core/analytics/analytics.ts'
import * as auditLog from '../core/audit/audit-log.ts'
import * as billing from '../core/billing/billing.ts'
import * as identityConfirmation from '../core/accounts/identity-confirmation.ts'
import * as crew from '../core/crew/crew.ts'
import * as deviceCodes from '../core/accounts/device-codes.ts'
import * as pushSubscriptions from '../core/push/subscriptions.ts'
import * as floor from '../core/floor/floor.ts'
import * as escalation from '../core/requests/escalation.ts'
import * as managers from '../core/accounts/managers.ts'
import * as ownSessions from '../core/accounts/own-sessions.ts'
import * as ownerNotices from '../core/accounts/owner-notices.ts'
import * as passkeyLogin from '../core/accounts/passkey-login.ts'
import * as passkeys from '../core/accounts/passkeys.ts'
import * as qr from '../core/floor/qr-codes.ts'
import * as recoveryCodes from '../core/accounts/recovery-codes.ts'
import * as recovery from '../core/accounts/recovery.ts'
import * as requests from '../core/requests/requests.ts'
import * as restaurantLogin from '../core/accounts/restaurant-login.ts'
import * as restaurantPassword from '../core/accounts/restaurant-password.ts'
import * as restaurantSettings from '../core/accounts/restaurant-settings.ts'
import * as secondFactor from '../core/accounts/second-factor.ts'
import * as signedInDevices from '../core/accounts/signed-in-devices.ts'
import * as staffPassword from '../core/accounts/staff-password.ts'
import * as checkout from '../core/billing/checkout.ts'
import * as visits from '../core/guests/visits.ts'
import { csv, type Endpoint, endpoint, EndpointResult, signInResult } from './endpoint.ts'

export const endpoints: Endpoint[] = [
  endpoint(api.accounts.currentUser, (ctx, actor) => accounts.currentUser(ctx, actor)),
  endpoint(api.accounts.session, (ctx, actor) => accounts.getSession(ctx, actor)),
  endpoint(api.accounts.setupRestaurant, (ctx, actor, { body }) =>
    accounts.setupRestaurant(ctx, actor, body),
  ),
  endpoint(api.accounts.signUp, (ctx, actor, { body }) => signInResult(accounts.signUp(ctx, actor, body))),
  endpoint(api.accounts.restaurantLogin, (ctx, actor, { body }) =>
    signInResult(restaurantLogin.login(ctx, actor, body)),
  ),
  endpoint(api.accounts.setPassword, async (ctx, actor, { body }) => {
    const deviceCookie = await restaurantPassword.set(ctx, actor, body)
    return new EndpointResult(undefined, { cookies: { device: deviceCookie } })
  }),
  endpoint(api.accounts.identity, (ctx, actor) => identityConfirmation.getIdentity(ctx, actor)),
  endpoint(api.accounts.confirmIdentity, (ctx, actor, { body }) =>
    identityConfirmation.confirm(ctx, actor, body),
  ),
  endpoint(api.accounts.confirmationChallenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = await identityConfirmation.createPasskeyChallenge(ctx, actor)
    return new EndpointResult(challenge, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.accounts.ownerLogin, (ctx, actor, { body }) =>
    signInResult(accounts.ownerLogin(ctx, actor, body)),
  ),
  endpoint(api.accounts.crewLogin, (ctx, actor, { body }) =>
    signInResult(accounts.crewLogin(ctx, actor, body)),
  ),

  endpoint(api.secondFactors.authenticator, (ctx, actor) => secondFactor.getStatus(ctx, actor)),
  endpoint(api.secondFactors.beginAuthenticator, (ctx, actor) => secondFactor.beginSetup(ctx, actor)),
  endpoint(api.secondFactors.turnAuthenticatorOn, (ctx, actor, { body }) =>
    secondFactor.turnOn(ctx, actor, body),
  ),
  endpoint(api.secondFactors.turnAuthenticatorOff, (ctx, actor, { body }) =>
    secondFactor.turnOff(ctx, actor, body),
  ),

  endpoint(api.passkeys.list, (ctx, actor) => passkeys.list(ctx, actor)),
  endpoint(api.passkeys.setUp, async (ctx, actor) => {
    const { setup, challengeCookie } = await passkeys.beginSetup(ctx, actor)
    return new EndpointResult(setup, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.passkeys.add, (ctx, actor, { body }) => passkeys.add(ctx, actor, body)),
  endpoint(api.passkeys.remove, (ctx, actor, { params }) => passkeys.remove(ctx, actor, params)),
  endpoint(api.passkeys.challenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = passkeyLogin.begin(ctx, actor)
    return new EndpointResult(challenge, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.passkeys.login, (ctx, actor, { body }) => signInResult(passkeyLogin.login(ctx, actor, body))),

  endpoint(api.managers.check, (ctx, actor, { params }) => managers.checkCredentials(ctx, actor, params)),
  endpoint(api.managers.setup, (ctx, actor, { body }) => signInResult(managers.setUp(ctx, actor, body))),
  endpoint(api.managers.login, (ctx, actor, { body }) => signInResult(managers.login(ctx, actor, body))),
  endpoint(api.managers.currentUser, (ctx, actor) => managers.currentUser(ctx, actor)),
  endpoint(api.managers.setCredentials, (ctx, actor, { body }) => managers.setCredentials(ctx, actor, body)),
  endpoint(api.managers.remove, (ctx, actor, { params }) => managers.remove(ctx, actor, params)),
  endpoint(api.managers.signOut, (ctx, actor, { params }) => managers.signOut(ctx, actor, params)),

  endpoint(api.recovery.codes, (ctx, actor) => recoveryCodes.getStatus(ctx, actor)),
  endpoint(api.recovery.renewCodes, (ctx, actor) => recoveryCodes.regenerateCodes(ctx, actor)),
  endpoint(api.recovery.byCode, (ctx, actor, { body }) => recovery.resetByCode(ctx, actor, body)),
  endpoint(api.recovery.byLink, (ctx, actor, { body }) => recovery.resetByLink(ctx, actor, body)),
  endpoint(api.recovery.notices, (ctx, actor) => ownerNotices.list(ctx, actor)),
  endpoint(api.recovery.dismissNotice, (ctx, actor, { params }) => ownerNotices.dismiss(ctx, actor, params)),

  endpoint(api.devices.login, (ctx, actor, { body }) =>
    signInResult(deviceCodes.loginWithDigits(ctx, actor, body)),
  ),
  endpoint(api.devices.link, (ctx, actor, { body }) => deviceCodes.getLinkedRestaurant(ctx, actor, body)),
  endpoint(api.devices.linkLogin, (ctx, actor, { body }) =>
    signInResult(deviceCodes.loginWithLink(ctx, actor, body)),
  ),
  endpoint(api.devices.createCode, (ctx, actor) => deviceCodes.create(ctx, actor)),
  endpoint(api.devices.code, (ctx, actor, { params }) => deviceCodes.getState(ctx, actor, params)),
  endpoint(api.devices.cancelCode, (ctx, actor, { params }) => deviceCodes.cancel(ctx, actor, params)),
  endpoint(api.devices.list, (ctx, actor) => signedInDevices.list(ctx, actor)),
  endpoint(api.devices.rename, (ctx, actor, { params, body }) =>
    signedInDevices.rename(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.devices.signOut, (ctx, actor, { params }) => signedInDevices.signOut(ctx, actor, params)),

  endpoint(api.sessions.list, (ctx, actor) => ownSessions.list(ctx, actor)),
  endpoint(api.sessions.signOut, (ctx, actor, { params }) => ownSessions.signOut(ctx, actor, params)),
  endpoint(api.sessions.signOutOthers, (ctx, actor) => ownSessions.signOutOthers(ctx, actor)),

  endpoint(api.staffPassword.state, (ctx, actor) => staffPassword.getState(ctx, actor)),
  endpoint(api.staffPassword.set, (ctx, actor, { body }) => staffPassword.set(ctx, actor, body)),
  endpoint(api.staffPassword.remove, (ctx, actor) => staffPassword.remove(ctx, actor)),

  endpoint(api.crew.byRestaurant, (ctx, actor, { query }) =>
    crew.listByRestaurant(ctx, actor, query.restaurantId),
  ),
  endpoint(api.crew.list, (ctx, actor) => crew.list(ctx, actor)),
  endpoint(api.crew.details, (ctx, actor, { params }) => crew.getDetails(ctx, actor, params)),
  endpoint(api.crew.add, (ctx, actor, { body }) => crew.add(ctx, actor, body)),
  endpoint(api.crew.change, (ctx, actor, { params, body }) => crew.change(ctx, actor, params.id, body)),
  endpoint(api.crew.remove, (ctx, actor, { params }) => crew.remove(ctx, actor, params.id)),

  endpoint(api.floor.tablesByRestaurant, (ctx, actor, { query }) =>
    floor.listTablesByRestaurant(ctx, actor, query.restaurantId),
  ),
  endpoint(api.floor.crewAssignments, (ctx, actor, { query }) =>
    floor.listCrewAssignments(ctx, actor, query),
  ),
  endpoint(api.floor.tables, (ctx, actor) => floor.listTables(ctx, actor)),
  endpoint(api.floor.hostStand, (ctx, actor) => floor.getHostStand(ctx, actor)),
  endpoint(api.floor.assignmentsByDate, (ctx, actor, { query }) =>
    floor.listAssignmentsByDate(ctx, actor, query),
  ),
  endpoint(api.floor.assign, (ctx, actor, { body }) => floor.assign(ctx, actor, body)),
  endpoint(api.floor.copyFromPrevious, (ctx, actor, { body }) => floor.copyFromPrevious(ctx, actor, body)),
  endpoint(api.floor.copyToWeek, (ctx, actor, { body }) => floor.copyToWeek(ctx, actor, body)),
  endpoint(api.floor.assignHostStand, (ctx, actor, { body }) => floor.assignHostStand(ctx, actor, body)),
  endpoint(api.floor.setUp, (ctx, actor, { body }) => floor.setUpTables(ctx, actor, body)),
  endpoint(api.floor.addTable, (ctx, actor, { body }) => floor.addTable(ctx, actor, body)),
  endpoint(api.floor.removeTable, (ctx, actor, { params, query }) =>
    floor.removeTable(ctx, actor, params.id, query.confirm === 'true'),
  ),

  endpoint(api.qr.mine, (ctx, actor) => qr.getQrCode(ctx, actor)),
  endpoint(api.qr.generate, (ctx, actor, { body }) => qr.generate(ctx, actor, body)),
  endpoint(api.qr.remove, (ctx, actor) => qr.remove(ctx, actor)),
  endpoint(api.qr.sheet, (ctx, actor) => qr.getSheet(ctx, actor)),

  endpoint(api.billing.create, (ctx, actor, { body }) => checkout.beginCheckout(ctx, actor, body)),
  endpoint(api.billing.confirm, (ctx, actor, { body }) => checkout.confirm(ctx, actor, body)),
  endpoint(api.billing.subscription, (ctx, actor, { query }) =>
    billing.getSubscription(ctx, actor, { fresh: query.fresh === 'true' }),
  ),
  endpoint(api.billing.cancel, (ctx, actor) => billing.cancel(ctx, actor)),
  endpoint(api.billing.resume, (ctx, actor) => billing.resume(ctx, actor)),
  endpoint(api.billing.changePlan, (ctx, actor, { body }) => billing.changePlan(ctx, actor, body)),
  endpoint(api.billing.portal, (ctx, actor) => billing.getPortalLink(ctx, actor)),
  endpoint(api.billing.config, (ctx, actor) => billing.getConfig(ctx, actor)),
  endpoint(api.billing.confirmSandboxSetup, (ctx, actor, { params, body }) =>
    checkout.confirmSandboxSetup(ctx, actor, params.id, body),
  ),
  endpoint(api.billing.advanceSandbox, (ctx, actor) => billing.advanceSandbox(ctx, actor)),

  endpoint(api.restaurant.settings, (ctx, actor) => restaurantSettings.getSettings(ctx, actor)),
  endpoint(api.restaurant.change, (ctx, actor, { body }) => restaurantSettings.change(ctx, actor, body)),

  endpoint(api.analytics.figures, (ctx, actor, { query }) => analytics.figures(ctx, actor, query)),
  endpoint(api.analytics.overview, (ctx, actor) => analytics.overview(ctx, actor)),
  endpoint(api.analytics.events, async (ctx, actor, { query }) =>
    csv(await analytics.exportEvents(ctx, actor, query)),
  ),

  endpoint(api.audit.list, (ctx, actor, { query }) => auditLog.list(ctx, actor, query)),
  endpoint(api.audit.download, async (ctx, actor) => csv(await auditLog.download(ctx, actor))),

  endpoint(api.alerts.settings, (ctx, actor) => escalation.getSettings(ctx, actor)),
  endpoint(api.alerts.setSettings, (ctx, actor, { body }) => escalation.setSettings(ctx, actor, body)),

  endpoint(api.push.key, (ctx, actor) => pushSubscriptions.getPublicKey(ctx, actor)),
  endpoint(api.push.subscribe, (ctx, actor, { body }) => pushSubscriptions.subscribe(ctx, actor, body)),
  endpoint(api.push.unsubscribe, (ctx, actor, { params }) =>
    pushSubscriptions.unsubscribe(ctx, actor, params),
  ),

  endpoint(api.requests.send, async (ctx, actor, { body }) => {
    const { request, created } = await requests.send(ctx, actor, body)
    return new EndpointResult({ request }, { status: created ? 201 : 200 })
  }),
  endpoint(api.requests.mine, (ctx, actor, { query }) => visits.listTableRequests(ctx, actor, query)),
  endpoint(api.requests.cancel, (ctx, actor, { params }) => requests.cancel(ctx, actor, params)),
  endpoint(api.requests.stillWaiting, (ctx, actor, { params }) => requests.stillWaiting(ctx, actor, params)),
]
