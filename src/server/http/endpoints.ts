import { api } from '#contract/api.ts'
import * as accounts from '../core/accounts/accounts.ts'
import * as deletedManagers from '../core/accounts/deleted-managers.ts'
import * as deviceCodes from '../core/accounts/devices/device-codes.ts'
import * as signedInDevices from '../core/accounts/devices/signed-in-devices.ts'
import * as firstSteps from '../core/accounts/first-steps.ts'
import * as managers from '../core/accounts/managers.ts'
import * as passkeyLogin from '../core/accounts/passkeys/passkey-login.ts'
import * as passkeys from '../core/accounts/passkeys/passkeys.ts'
import * as mailedResetLink from '../core/accounts/recovery/mailed-reset-link.ts'
import * as ownerEmail from '../core/accounts/recovery/owner-email.ts'
import * as ownerNotices from '../core/accounts/recovery/owner-notices.ts'
import * as recoveryCodes from '../core/accounts/recovery/recovery-codes.ts'
import * as recovery from '../core/accounts/recovery/recovery.ts'
import * as ownRestaurants from '../core/accounts/restaurants/own-restaurants.ts'
import * as restaurantEndings from '../core/accounts/restaurants/restaurant-endings.ts'
import * as restaurantPassword from '../core/accounts/restaurants/restaurant-password.ts'
import * as restaurantSettings from '../core/accounts/restaurants/restaurant-settings.ts'
import * as retentionSettings from '../core/accounts/restaurants/retention-settings.ts'
import * as staffPassword from '../core/accounts/restaurants/staff-password.ts'
import * as apiTokens from '../core/accounts/sessions/api-tokens.ts'
import * as ownSessions from '../core/accounts/sessions/own-sessions.ts'
import * as identityConfirmation from '../core/accounts/sign-in/identity-confirmation.ts'
import * as restaurantLogin from '../core/accounts/sign-in/restaurant-login.ts'
import * as secondFactor from '../core/accounts/sign-in/second-factor.ts'
import { tryDemo } from '../core/accounts/sign-in/try-demo.ts'
import * as analytics from '../core/analytics/analytics.ts'
import * as auditLog from '../core/audit/audit-log.ts'
import * as billing from '../core/billing/billing.ts'
import * as checkout from '../core/billing/checkout.ts'
import * as crew from '../core/crew/crew.ts'
import * as deletedCrew from '../core/crew/deleted-crew.ts'
import { download } from '../core/export/download.ts'
import * as deletedSections from '../core/floor/deleted-sections.ts'
import * as deletedTables from '../core/floor/deleted-tables.ts'
import * as floor from '../core/floor/floor.ts'
import * as qr from '../core/floor/qr-codes.ts'
import * as sections from '../core/floor/sections.ts'
import * as weeklyPattern from '../core/floor/weekly-pattern.ts'
import * as guestCard from '../core/guests/guest-card.ts'
import * as managerNotes from '../core/guests/manager-notes.ts'
import * as needs from '../core/guests/needs.ts'
import * as opening from '../core/guests/opening.ts'
import * as parties from '../core/guests/parties.ts'
import * as shortLinks from '../core/guests/short-links.ts'
import * as visits from '../core/guests/visits.ts'
import * as outsideChannels from '../core/outside/channels.ts'
import * as deliveries from '../core/outside/deliveries.ts'
import * as pushActions from '../core/push/actions.ts'
import * as pushSubscriptions from '../core/push/subscriptions.ts'
import * as crewRequests from '../core/requests/crew-requests.ts'
import * as escalation from '../core/requests/escalation/escalation.ts'
import { correctTable } from '../core/requests/moves/table-corrections.ts'
import * as requests from '../core/requests/requests.ts'
import * as seating from '../core/requests/seating.ts'
import * as buttons from '../core/requests/taps/buttons.ts'
import { csv, type Endpoint, endpoint, EndpointResult, signInResult, zip } from './endpoint.ts'

export const endpoints: Endpoint[] = [
  endpoint(api.accounts.currentUser, (ctx, actor) => accounts.currentUser(ctx, actor)),
  endpoint(api.accounts.session, (ctx, actor) => accounts.session(ctx, actor)),
  endpoint(api.accounts.setupRestaurant, (ctx, actor, { body }) =>
    accounts.setupRestaurant(ctx, actor, body),
  ),
  endpoint(api.accounts.signUp, (ctx, actor, { body }) => signInResult(accounts.signUp(ctx, actor, body))),
  endpoint(api.accounts.tryDemo, (ctx, actor, { body }) =>
    signInResult(tryDemo(ctx, actor, body, accounts.signUp)),
  ),
  endpoint(api.accounts.restaurantLogin, (ctx, actor, { body }) =>
    signInResult(restaurantLogin.restaurantLogin(ctx, actor, body)),
  ),
  endpoint(api.accounts.setPassword, async (ctx, actor, { body }) => {
    const deviceCookie = await restaurantPassword.setPassword(ctx, actor, body)
    return new EndpointResult(undefined, { cookies: { device: deviceCookie } })
  }),
  endpoint(api.accounts.identity, (ctx, actor) => identityConfirmation.identity(ctx, actor)),
  endpoint(api.accounts.confirmIdentity, (ctx, actor, { body }) =>
    identityConfirmation.confirmIdentity(ctx, actor, body),
  ),
  endpoint(api.accounts.confirmationChallenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = await identityConfirmation.confirmationChallenge(ctx, actor)
    return new EndpointResult(challenge, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.accounts.ownerLogin, (ctx, actor, { body }) =>
    signInResult(accounts.ownerLogin(ctx, actor, body)),
  ),
  endpoint(api.accounts.crewLogin, (ctx, actor, { body }) =>
    signInResult(accounts.crewLogin(ctx, actor, body)),
  ),

  endpoint(api.secondFactors.authenticator, (ctx, actor) => secondFactor.authenticator(ctx, actor)),
  endpoint(api.secondFactors.beginAuthenticator, (ctx, actor) => secondFactor.beginAuthenticator(ctx, actor)),
  endpoint(api.secondFactors.turnAuthenticatorOn, async (ctx, actor, { body }) => {
    const deviceCookie = await secondFactor.turnAuthenticatorOn(ctx, actor, body)
    return new EndpointResult(undefined, { cookies: { device: deviceCookie } })
  }),
  endpoint(api.secondFactors.turnAuthenticatorOff, (ctx, actor, { body }) =>
    secondFactor.turnAuthenticatorOff(ctx, actor, body),
  ),

  endpoint(api.passkeys.list, (ctx, actor) => passkeys.list(ctx, actor)),
  endpoint(api.passkeys.setUp, async (ctx, actor) => {
    const { setup, challengeCookie } = await passkeys.setUp(ctx, actor)
    return new EndpointResult(setup, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.passkeys.add, (ctx, actor, { body }) => passkeys.add(ctx, actor, body)),
  endpoint(api.passkeys.remove, (ctx, actor, { params }) => passkeys.remove(ctx, actor, params)),
  endpoint(api.passkeys.challenge, async (ctx, actor) => {
    const { challenge, challengeCookie } = passkeyLogin.challenge(ctx, actor)
    return new EndpointResult(challenge, { cookies: { challenge: challengeCookie } })
  }),
  endpoint(api.passkeys.login, (ctx, actor, { body }) => signInResult(passkeyLogin.login(ctx, actor, body))),

  endpoint(api.managers.check, (ctx, actor, { params }) => managers.check(ctx, actor, params)),
  endpoint(api.managers.setup, (ctx, actor, { body }) => signInResult(managers.setup(ctx, actor, body))),
  endpoint(api.managers.login, (ctx, actor, { body }) => signInResult(managers.login(ctx, actor, body))),
  endpoint(api.managers.currentUser, (ctx, actor) => managers.currentUser(ctx, actor)),
  endpoint(api.managers.setCredentials, (ctx, actor, { body }) => managers.setCredentials(ctx, actor, body)),
  endpoint(api.managers.remove, (ctx, actor, { params }) => deletedManagers.remove(ctx, actor, params)),
  endpoint(api.managers.deleted, (ctx, actor) => deletedManagers.deleted(ctx, actor)),
  endpoint(api.managers.restore, (ctx, actor, { params, body }) =>
    deletedManagers.restore(ctx, actor, params.id, body),
  ),
  endpoint(api.managers.signOut, (ctx, actor, { params }) => managers.signOut(ctx, actor, params)),

  endpoint(api.recovery.codes, (ctx, actor) => recoveryCodes.codes(ctx, actor)),
  endpoint(api.recovery.renewCodes, (ctx, actor) => recoveryCodes.renewCodes(ctx, actor)),
  endpoint(api.recovery.byCode, (ctx, actor, { body }) => recovery.byCode(ctx, actor, body)),
  endpoint(api.recovery.sendLink, (ctx, actor, { body }) => mailedResetLink.sendLink(ctx, actor, body)),
  endpoint(api.recovery.byLink, (ctx, actor, { body }) => recovery.byLink(ctx, actor, body)),
  endpoint(api.recovery.notices, (ctx, actor) => ownerNotices.notices(ctx, actor)),
  endpoint(api.recovery.dismissNotice, (ctx, actor, { params }) =>
    ownerNotices.dismissNotice(ctx, actor, params),
  ),

  endpoint(api.ownerEmail.begin, (ctx, actor, { body }) => ownerEmail.begin(ctx, actor, body)),
  endpoint(api.ownerEmail.confirm, (ctx, actor, { body }) => ownerEmail.confirm(ctx, actor, body)),

  endpoint(api.devices.login, (ctx, actor, { body }) => signInResult(deviceCodes.login(ctx, actor, body))),
  endpoint(api.devices.link, (ctx, actor, { body }) => deviceCodes.link(ctx, actor, body)),
  endpoint(api.devices.linkLogin, (ctx, actor, { body }) =>
    signInResult(deviceCodes.linkLogin(ctx, actor, body)),
  ),
  endpoint(api.devices.createCode, (ctx, actor) => deviceCodes.createCode(ctx, actor)),
  endpoint(api.devices.code, (ctx, actor, { params }) => deviceCodes.code(ctx, actor, params)),
  endpoint(api.devices.cancelCode, (ctx, actor, { params }) => deviceCodes.cancelCode(ctx, actor, params)),
  endpoint(api.devices.list, (ctx, actor) => signedInDevices.list(ctx, actor)),
  endpoint(api.devices.rename, (ctx, actor, { params, body }) =>
    signedInDevices.rename(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.devices.signOut, (ctx, actor, { params }) => signedInDevices.signOut(ctx, actor, params)),

  endpoint(api.sessions.list, (ctx, actor) => ownSessions.list(ctx, actor)),
  endpoint(api.sessions.signOut, (ctx, actor, { params }) => ownSessions.signOut(ctx, actor, params)),
  endpoint(api.sessions.signOutOthers, (ctx, actor) => ownSessions.signOutOthers(ctx, actor)),

  endpoint(api.staffPassword.state, (ctx, actor) => staffPassword.state(ctx, actor)),
  endpoint(api.staffPassword.set, (ctx, actor, { body }) => staffPassword.set(ctx, actor, body)),
  endpoint(api.staffPassword.remove, (ctx, actor) => staffPassword.remove(ctx, actor)),

  endpoint(api.crew.byRestaurant, (ctx, actor, { query }) =>
    crew.byRestaurant(ctx, actor, query.restaurantId),
  ),
  endpoint(api.crew.list, (ctx, actor) => crew.list(ctx, actor)),
  endpoint(api.crew.details, (ctx, actor, { params }) => crew.details(ctx, actor, params)),
  endpoint(api.crew.add, (ctx, actor, { body }) => crew.add(ctx, actor, body)),
  endpoint(api.crew.change, (ctx, actor, { params, body }) => crew.change(ctx, actor, params.id, body)),
  endpoint(api.crew.remove, (ctx, actor, { params }) => deletedCrew.remove(ctx, actor, params.id)),
  endpoint(api.crew.deleted, (ctx, actor) => deletedCrew.deleted(ctx, actor)),
  endpoint(api.crew.restore, (ctx, actor, { params, body }) =>
    deletedCrew.restore(ctx, actor, params.id, body),
  ),

  endpoint(api.floor.tablesByRestaurant, (ctx, actor, { query }) =>
    floor.tablesByRestaurant(ctx, actor, query.restaurantId),
  ),
  endpoint(api.floor.crewAssignments, (ctx, actor, { query }) => floor.crewAssignments(ctx, actor, query)),
  endpoint(api.floor.tables, (ctx, actor) => floor.tables(ctx, actor)),
  endpoint(api.floor.hostStand, (ctx, actor) => floor.hostStand(ctx, actor)),
  endpoint(api.floor.assignmentsByDate, (ctx, actor, { query }) =>
    floor.assignmentsByDate(ctx, actor, query),
  ),
  endpoint(api.floor.assign, (ctx, actor, { body }) => floor.assign(ctx, actor, body)),
  endpoint(api.floor.copyFromPrevious, (ctx, actor, { body }) => floor.copyFromPrevious(ctx, actor, body)),
  endpoint(api.floor.copyToWeek, (ctx, actor, { body }) => floor.copyToWeek(ctx, actor, body)),
  endpoint(api.floor.assignHostStand, (ctx, actor, { body }) => floor.assignHostStand(ctx, actor, body)),
  endpoint(api.floor.setUp, (ctx, actor, { body }) => floor.setUp(ctx, actor, body)),
  endpoint(api.floor.addTable, (ctx, actor, { body }) => floor.addTable(ctx, actor, body)),
  endpoint(api.floor.removeTable, (ctx, actor, { params, query }) =>
    deletedTables.removeTable(ctx, actor, params.id, query.confirm === 'true'),
  ),
  endpoint(api.floor.deletedTables, (ctx, actor) => deletedTables.deletedTables(ctx, actor)),
  endpoint(api.floor.restoreTable, (ctx, actor, { params, body }) =>
    deletedTables.restoreTable(ctx, actor, params.id, body),
  ),

  endpoint(api.qr.mine, (ctx, actor) => qr.mine(ctx, actor)),
  endpoint(api.qr.generate, (ctx, actor, { body }) => qr.generate(ctx, actor, body)),
  endpoint(api.qr.remove, (ctx, actor) => qr.remove(ctx, actor)),
  endpoint(api.qr.sheet, (ctx, actor) => qr.sheet(ctx, actor)),
  endpoint(api.qr.revokeShortLink, (ctx, actor, { params }) =>
    shortLinks.revokeShortLink(ctx, actor, params),
  ),

  endpoint(api.billing.create, (ctx, actor, { body }) => checkout.create(ctx, actor, body)),
  endpoint(api.billing.confirm, (ctx, actor, { body }) => checkout.confirm(ctx, actor, body)),
  endpoint(api.billing.subscription, (ctx, actor, { query }) =>
    billing.subscription(ctx, actor, { fresh: query.fresh === 'true' }),
  ),
  endpoint(api.billing.cancel, (ctx, actor) => billing.cancel(ctx, actor)),
  endpoint(api.billing.resume, (ctx, actor) => billing.resume(ctx, actor)),
  endpoint(api.billing.changePlan, (ctx, actor, { body }) => billing.changePlan(ctx, actor, body)),
  endpoint(api.billing.portal, (ctx, actor) => billing.portal(ctx, actor)),
  endpoint(api.billing.config, (ctx, actor) => billing.config(ctx, actor)),
  endpoint(api.billing.confirmSandboxSetup, (ctx, actor, { params, body }) =>
    checkout.confirmSandboxSetup(ctx, actor, params.id, body),
  ),
  endpoint(api.billing.advanceSandbox, (ctx, actor) => billing.advanceSandbox(ctx, actor)),

  endpoint(api.ownRestaurants.list, (ctx, actor) => ownRestaurants.list(ctx, actor)),
  endpoint(api.ownRestaurants.add, (ctx, actor, { body }) => ownRestaurants.add(ctx, actor, body)),
  endpoint(api.ownRestaurants.glance, (ctx, actor, { params }) => ownRestaurants.glance(ctx, actor, params)),
  endpoint(api.ownRestaurants.switchTo, (ctx, actor, { params }) =>
    signInResult(ownRestaurants.switchTo(ctx, actor, params)),
  ),

  endpoint(api.restaurant.settings, (ctx, actor) => restaurantSettings.settings(ctx, actor)),
  endpoint(api.retention.state, (ctx, actor) => retentionSettings.state(ctx, actor)),
  endpoint(api.retention.set, (ctx, actor, { body }) => retentionSettings.set(ctx, actor, body)),
  endpoint(api.restaurant.ending, (ctx, actor) => restaurantEndings.ending(ctx, actor)),
  endpoint(api.restaurant.remove, (ctx, actor, { body }) => restaurantEndings.remove(ctx, actor, body)),
  endpoint(api.restaurant.restore, (ctx, actor) => restaurantEndings.restore(ctx, actor)),
  endpoint(api.restaurant.download, async (ctx, actor, _input, { gone }) =>
    zip(await download(ctx, actor, { gone: gone() })),
  ),
  endpoint(api.restaurant.change, (ctx, actor, { body }) => restaurantSettings.change(ctx, actor, body)),

  endpoint(api.analytics.figures, (ctx, actor, { query }) => analytics.figures(ctx, actor, query)),
  endpoint(api.analytics.overview, (ctx, actor) => analytics.overview(ctx, actor)),
  endpoint(api.analytics.doneToday, (ctx, actor) => analytics.doneToday(ctx, actor)),
  endpoint(api.analytics.expectedTimes, (ctx, actor) => analytics.expectedTimes(ctx, actor)),
  endpoint(api.analytics.events, async (ctx, actor, { query }) =>
    csv(await analytics.events(ctx, actor, query)),
  ),

  endpoint(api.firstSteps.list, (ctx, actor) => firstSteps.list(ctx, actor)),
  endpoint(api.firstSteps.finish, (ctx, actor) => firstSteps.finish(ctx, actor)),
  endpoint(api.guestCard.state, (ctx, actor) => guestCard.state(ctx, actor)),
  endpoint(api.guestCard.set, (ctx, actor, { body }) => guestCard.set(ctx, actor, body)),
  endpoint(api.needs.state, (ctx, actor) => needs.state(ctx, actor)),
  endpoint(api.needs.set, (ctx, actor, { body }) => needs.set(ctx, actor, body)),

  endpoint(api.opening.state, (ctx, actor) => opening.state(ctx, actor)),
  endpoint(api.opening.setHours, (ctx, actor, { body }) => opening.setHours(ctx, actor, body)),
  endpoint(api.opening.pause, (ctx, actor, { body }) => opening.pause(ctx, actor, body)),
  endpoint(api.opening.resume, (ctx, actor, { params }) => opening.resume(ctx, actor, params)),

  endpoint(api.seating.list, (ctx, actor) => seating.list(ctx, actor)),
  endpoint(api.seating.open, (ctx, actor, { body }) => seating.open(ctx, actor, body)),
  endpoint(api.seating.close, (ctx, actor, { body }) => seating.close(ctx, actor, body)),
  endpoint(api.seating.undoClose, (ctx, actor, { body }) => seating.undoClose(ctx, actor, body)),
  endpoint(api.guestNotes.send, async (ctx, actor, { body }) => {
    const { note, created } = await managerNotes.send(ctx, actor, body)
    return new EndpointResult(note, { status: created ? 201 : 200 })
  }),
  endpoint(api.guestNotes.mine, (ctx, actor, { query }) => managerNotes.mine(ctx, actor, query)),
  endpoint(api.managerNotes.list, (ctx, actor) => managerNotes.list(ctx, actor)),
  endpoint(api.managerNotes.markSeen, (ctx, actor, { body }) => managerNotes.markSeen(ctx, actor, body)),
  endpoint(api.managerNotes.take, (ctx, actor, { params, body }) =>
    managerNotes.take(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.managerNotes.close, (ctx, actor, { params, body }) =>
    managerNotes.close(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.apiTokens.list, (ctx, actor) => apiTokens.list(ctx, actor)),
  endpoint(api.apiTokens.create, (ctx, actor, { body }) => apiTokens.create(ctx, actor, body)),
  endpoint(api.apiTokens.remove, (ctx, actor, { params }) => apiTokens.remove(ctx, actor, params)),
  endpoint(api.apiTokens.own, (ctx, actor) => apiTokens.own(ctx, actor)),
  endpoint(api.tableButtons.list, (ctx, actor) => buttons.list(ctx, actor)),
  endpoint(api.tableButtons.add, (ctx, actor, { body }) => buttons.add(ctx, actor, body)),
  endpoint(api.tableButtons.remove, (ctx, actor, { params }) => buttons.remove(ctx, actor, params)),
  endpoint(api.buttons.press, async (ctx, actor, { body }) => {
    const { request, created } = await buttons.press(ctx, actor, body)
    return new EndpointResult({ request }, { status: created ? 201 : 200 })
  }),

  endpoint(api.audit.list, (ctx, actor, { query }) => auditLog.list(ctx, actor, query)),
  endpoint(api.audit.download, async (ctx, actor) => csv(await auditLog.download(ctx, actor))),

  endpoint(api.escalation.settings, (ctx, actor) => escalation.settings(ctx, actor)),
  endpoint(api.escalation.setSettings, (ctx, actor, { body }) => escalation.setSettings(ctx, actor, body)),

  endpoint(api.sections.add, (ctx, actor, { body }) => sections.add(ctx, actor, body)),
  endpoint(api.sections.change, (ctx, actor, { params, body }) =>
    sections.change(ctx, actor, params.id, body),
  ),
  endpoint(api.sections.reorder, (ctx, actor, { body }) => sections.reorder(ctx, actor, body)),
  endpoint(api.sections.remove, (ctx, actor, { params }) => deletedSections.remove(ctx, actor, params.id)),
  endpoint(api.sections.deleted, (ctx, actor) => deletedSections.deleted(ctx, actor)),
  endpoint(api.sections.restore, (ctx, actor, { params, body }) =>
    deletedSections.restore(ctx, actor, params.id, body),
  ),
  endpoint(api.sections.arrange, (ctx, actor, { body }) => sections.arrange(ctx, actor, body)),
  endpoint(api.sections.assign, (ctx, actor, { body }) => sections.assign(ctx, actor, body)),

  endpoint(api.weeklyPattern.state, (ctx, actor, { query }) => weeklyPattern.state(ctx, actor, query)),
  endpoint(api.weeklyPattern.save, (ctx, actor, { body }) => weeklyPattern.save(ctx, actor, body)),
  endpoint(api.weeklyPattern.end, (ctx, actor, { body }) => weeklyPattern.end(ctx, actor, body)),
  endpoint(api.weeklyPattern.resume, (ctx, actor, { body }) => weeklyPattern.resume(ctx, actor, body)),
  endpoint(api.weeklyPattern.clearDay, (ctx, actor, { body }) => weeklyPattern.clearDay(ctx, actor, body)),

  endpoint(api.tables.plan, (ctx, actor) => sections.plan(ctx, actor)),
  endpoint(api.tables.history, (ctx, actor, { query }) => crewRequests.history(ctx, actor, query)),
  endpoint(api.tables.party, (ctx, actor, { query }) => parties.party(ctx, actor, query)),

  endpoint(api.outsideAlerts.settings, (ctx, actor) => outsideChannels.settings(ctx, actor)),
  endpoint(api.outsideAlerts.setDelay, (ctx, actor, { body }) => outsideChannels.setDelay(ctx, actor, body)),
  endpoint(api.outsideAlerts.addChannel, (ctx, actor, { body }) =>
    outsideChannels.addChannel(ctx, actor, body),
  ),
  endpoint(api.outsideAlerts.changeChannel, (ctx, actor, { params, body }) =>
    outsideChannels.changeChannel(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.outsideAlerts.removeChannel, (ctx, actor, { params }) =>
    outsideChannels.removeChannel(ctx, actor, params),
  ),
  endpoint(api.outsideAlerts.confirmChannel, (ctx, actor, { params, body }) =>
    outsideChannels.confirmChannel(ctx, actor, { ...params, ...body }),
  ),
  endpoint(api.outsideAlerts.sendCode, (ctx, actor, { params }) =>
    outsideChannels.sendCode(ctx, actor, params),
  ),
  endpoint(api.outsideAlerts.deliveries, (ctx, actor, { params, query }) =>
    deliveries.deliveries(ctx, actor, { ...params, ...query }),
  ),
  endpoint(api.outsideAlerts.sendAgain, (ctx, actor, { params }) => deliveries.sendAgain(ctx, actor, params)),
  endpoint(api.outsideAlerts.sendTest, (ctx, actor, { params }) =>
    outsideChannels.sendTest(ctx, actor, params),
  ),
  endpoint(api.outsideAlerts.sendReport, (ctx, actor, { params }) =>
    outsideChannels.sendReport(ctx, actor, params),
  ),

  endpoint(api.push.key, (ctx, actor) => pushSubscriptions.key(ctx, actor)),
  endpoint(api.push.subscribe, (ctx, actor, { body }) => pushSubscriptions.subscribe(ctx, actor, body)),
  endpoint(api.push.act, (ctx, actor, { body }) => pushActions.act(ctx, actor, body)),
  endpoint(api.push.unsubscribe, (ctx, actor, { params }) =>
    pushSubscriptions.unsubscribe(ctx, actor, params),
  ),

  endpoint(api.requests.send, async (ctx, actor, { body }) => {
    const { created, table, ...sent } = await requests.send(ctx, actor, body)
    const { listening } = ctx.presence(table.restaurantId)
    return new EndpointResult({ ...sent, listening }, { status: created ? 201 : 200 })
  }),
  endpoint(api.requests.mine, (ctx, actor, { query }) => visits.mine(ctx, actor, query)),
  endpoint(api.requests.cancel, (ctx, actor, { params }) => requests.cancel(ctx, actor, params)),
  endpoint(api.requests.stillWaiting, (ctx, actor, { params }) => requests.stillWaiting(ctx, actor, params)),
  endpoint(api.requests.correctTable, (ctx, actor, { body }) => correctTable(ctx, actor, body)),
]
