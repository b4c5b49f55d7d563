import { api, type Route } from './api.ts'
import type { ClientMessage } from './live.ts'

/** The kinds of login. A browser session may have several at once; its rights are their union. */
export type Principal = 'guest' | 'device' | 'crew' | 'manager' | 'owner'

/**
 * `yes` always means "within the own restaurant".
 * - `own`: only the caller's own data (their crew member, their figures).
 * - `recent`: only within 15 minutes of signing in or confirming one's identity.
 * - `login-recent`: like `recent` for changing logins and PINs; everything else at any time.
 * - `paid`: only while the restaurant's subscription is active.
 * - `reduced`: the reply has fewer fields.
 * - `named`: only if a crew member was chosen on the connection.
 */
export type Right = 'yes' | 'no' | 'own' | 'recent' | 'login-recent' | 'paid' | 'reduced' | 'named'

type Rights = Record<Principal, Right>

const rights = (guest: Right, device: Right, crew: Right, manager: Right, owner: Right): Rights => ({
  guest,
  device,
  crew,
  manager,
  owner,
})

const anybody = rights('yes', 'yes', 'yes', 'yes', 'yes')
const staff = rights('no', 'yes', 'yes', 'yes', 'yes')
const management = rights('no', 'no', 'no', 'yes', 'yes')
const owner = rights('no', 'no', 'no', 'no', 'yes')
const recentManagement = rights('no', 'no', 'no', 'recent', 'recent')
const recentOwner = rights('no', 'no', 'no', 'no', 'recent')
const paidOwner = rights('no', 'no', 'no', 'no', 'paid')
const crewMember = rights('no', 'named', 'own', 'named', 'named')
/** Only software with a token, whose scopes are another list: `apiScopeOf`. */
const nobody = rights('no', 'no', 'no', 'no', 'no')

/** A route's operation is named after its place in the contract: `requests.send` for `api.requests.send`. */
export type RouteOperation = {
  [Group in keyof typeof api]: `${Group}.${keyof (typeof api)[Group] & string}`
}[keyof typeof api]

/** Routes that a browser navigates to instead of fetching them. */
type NavigationOperation =
  | 'login.begin'
  | 'login.finish'
  | 'login.signOut'
  | 'demo.enterAsCrew'
  | 'shortLinks.open'
  | 'visits.openGuestPage'
  | 'visits.resetVisit'

export const liveOperations = {
  'service-request': 'requests.send',
  'set-restaurant-context': 'contexts.setRestaurant',
  'set-crew-member-context': 'contexts.setCrewMember',
  'update-assigned-tables': 'contexts.updateAssignedTables',
  'get-pending-requests': 'requests.listPending',
  'accept-request': 'requests.accept',
  'release-request': 'requests.release',
  'complete-request': 'requests.complete',
  'reopen-request': 'requests.reopen',
  'requests-seen': 'requests.markSeen',
  listening: 'presence.setListening',
  'mute-table': 'tables.mute',
  'unmute-table': 'tables.unmute',
  'move-party': 'requests.moveParty',
  'undo-party-move': 'requests.undoPartyMove',
  ping: 'connection.ping',
  resume: 'connection.resume',
  'start-break': 'shift.startBreak',
  'end-break': 'shift.endBreak',
  'hand-over-requests': 'shift.handOverRequests',
  'send-role-message': 'roleCalls.send',
  'claim-role-message': 'roleCalls.claim',
  'get-team-messages': 'messages.list',
  'send-team-message': 'messages.send',
  'delete-team-message': 'messages.remove',
} as const satisfies Record<ClientMessage['type'], string>

type LiveOperation = (typeof liveOperations)[ClientMessage['type']]

/** Who may do what: one row per operation of a route or a live message. A missing row does not compile. */
export const permissions = {
  'login.begin': anybody,
  'login.finish': anybody,
  'login.signOut': anybody,
  'demo.enterAsCrew': anybody,
  'shortLinks.open': anybody,
  'visits.openGuestPage': anybody,
  'visits.resetVisit': anybody,
  'accounts.session': staff,
  'accounts.currentUser': owner,
  'accounts.setupRestaurant': owner,
  'billing.create': recentOwner,
  'billing.confirm': recentOwner,
  'billing.cancel': recentOwner,
  'billing.resume': recentOwner,
  'billing.changePlan': recentOwner,
  'billing.portal': recentOwner,
  'billing.subscription': owner,
  'billing.config': owner,
  'billing.confirmSandboxSetup': owner,
  'billing.advanceSandbox': owner,
  'accounts.restaurantLogin': anybody,
  'accounts.signUp': anybody,
  'accounts.tryDemo': anybody,
  'accounts.setPassword': recentOwner,
  'secondFactors.authenticator': management,
  'secondFactors.beginAuthenticator': recentManagement,
  'secondFactors.turnAuthenticatorOn': recentManagement,
  'secondFactors.turnAuthenticatorOff': recentManagement,
  'passkeys.list': management,
  'passkeys.setUp': recentManagement,
  'passkeys.add': recentManagement,
  'passkeys.remove': recentManagement,
  'passkeys.challenge': anybody,
  'passkeys.login': anybody,
  'accounts.identity': management,
  'accounts.confirmationChallenge': management,
  'accounts.confirmIdentity': management,
  'managers.login': anybody,
  'accounts.ownerLogin': anybody,
  'accounts.crewLogin': anybody,
  'managers.check': rights('no', 'yes', 'no', 'yes', 'yes'),
  'managers.setup': rights('no', 'recent', 'no', 'no', 'recent'),
  'crew.byRestaurant': staff,
  'floor.tablesByRestaurant': staff,
  'floor.crewAssignments': rights('no', 'yes', 'own', 'yes', 'yes'),
  'qr.mine': management,
  'qr.generate': paidOwner,
  'qr.remove': recentOwner,
  'qr.sheet': rights('no', 'no', 'no', 'yes', 'paid'),
  'qr.revokeShortLink': owner,
  'managers.currentUser': rights('no', 'no', 'no', 'reduced', 'yes'),
  'managers.setCredentials': recentManagement,
  'managers.remove': recentOwner,
  'managers.deleted': owner,
  'managers.restore': recentOwner,
  'managers.signOut': owner,
  'ownerEmail.begin': recentOwner,
  'ownerEmail.confirm': recentOwner,
  'devices.login': anybody,
  'devices.link': anybody,
  'devices.linkLogin': anybody,
  'devices.createCode': management,
  'devices.code': management,
  'devices.cancelCode': management,
  'devices.list': management,
  'devices.rename': management,
  'devices.signOut': management,
  'sessions.list': management,
  'sessions.signOutOthers': management,
  'sessions.signOut': management,
  'staffPassword.state': owner,
  'staffPassword.set': recentOwner,
  'staffPassword.remove': recentOwner,
  'recovery.codes': management,
  'recovery.renewCodes': rights('no', 'no', 'no', 'recent', 'recent'),
  'recovery.byCode': anybody,
  'recovery.sendLink': anybody,
  'recovery.byLink': anybody,
  'recovery.notices': owner,
  'recovery.dismissNotice': owner,
  'floor.tables': management,
  'floor.hostStand': management,
  'crew.list': management,
  'floor.assignmentsByDate': management,
  'crew.details': owner,
  'crew.add': owner,
  'crew.change': rights('no', 'no', 'own', 'no', 'login-recent'),
  'crew.remove': owner,
  'crew.deleted': owner,
  'crew.restore': rights('no', 'no', 'no', 'no', 'login-recent'),
  'floor.assign': owner,
  'floor.copyFromPrevious': owner,
  'floor.copyToWeek': owner,
  'floor.assignHostStand': owner,
  'floor.setUp': owner,
  'floor.addTable': owner,
  'floor.removeTable': owner,
  'floor.deletedTables': owner,
  'floor.restoreTable': owner,
  'sections.add': owner,
  'sections.change': owner,
  'sections.reorder': owner,
  'sections.remove': owner,
  'sections.deleted': owner,
  'sections.restore': owner,
  'sections.arrange': owner,
  'sections.assign': owner,
  'weeklyPattern.state': management,
  'weeklyPattern.save': owner,
  'weeklyPattern.end': owner,
  'weeklyPattern.resume': owner,
  'weeklyPattern.clearDay': owner,
  'needs.state': management,
  'needs.set': owner,
  'seating.list': staff,
  'seating.open': staff,
  'seating.close': staff,
  'seating.undoClose': staff,
  'guestNotes.send': anybody,
  'guestNotes.mine': anybody,
  'managerNotes.list': management,
  'managerNotes.markSeen': management,
  'managerNotes.take': management,
  'managerNotes.close': management,
  'apiTokens.list': owner,
  'apiTokens.create': recentOwner,
  'apiTokens.remove': owner,
  'apiTokens.own': nobody,
  'guestCard.state': owner,
  'guestCard.set': owner,
  'opening.state': management,
  'opening.setHours': owner,
  'opening.pause': management,
  'opening.resume': management,
  'tableButtons.list': owner,
  'tableButtons.add': paidOwner,
  'tableButtons.remove': owner,
  'buttons.press': anybody,
  'audit.list': owner,
  'audit.download': recentOwner,
  'escalation.settings': management,
  'escalation.setSettings': owner,
  'outsideAlerts.settings': owner,
  'outsideAlerts.setDelay': owner,
  'outsideAlerts.addChannel': recentOwner,
  'outsideAlerts.changeChannel': owner,
  'outsideAlerts.removeChannel': owner,
  'outsideAlerts.confirmChannel': owner,
  'outsideAlerts.sendCode': owner,
  'outsideAlerts.sendTest': owner,
  'outsideAlerts.deliveries': owner,
  'outsideAlerts.sendAgain': owner,
  'outsideAlerts.sendReport': owner,
  'analytics.figures': rights('no', 'no', 'own', 'yes', 'yes'),
  'analytics.events': rights('no', 'no', 'own', 'recent', 'recent'),
  'analytics.overview': management,
  'analytics.doneToday': staff,
  'analytics.expectedTimes': management,
  'firstSteps.list': owner,
  'firstSteps.finish': owner,
  'ownRestaurants.list': owner,
  'ownRestaurants.add': owner,
  'ownRestaurants.glance': owner,
  'ownRestaurants.switchTo': owner,
  'retention.state': owner,
  'retention.set': recentOwner,
  'restaurant.settings': management,
  'restaurant.change': owner,
  'restaurant.ending': owner,
  'restaurant.remove': recentOwner,
  'restaurant.restore': recentOwner,
  'restaurant.download': recentOwner,
  'tables.history': staff,
  'tables.party': staff,
  'tables.plan': staff,
  'push.key': staff,
  'push.subscribe': staff,
  'push.unsubscribe': staff,
  'push.act': staff,
  'requests.send': anybody,
  'requests.mine': anybody,
  'requests.cancel': anybody,
  'requests.stillWaiting': anybody,
  'requests.correctTable': anybody,

  'contexts.setRestaurant': anybody,
  'contexts.setCrewMember': rights('no', 'yes', 'own', 'yes', 'yes'),
  'contexts.updateAssignedTables': crewMember,
  'requests.listPending': staff,
  'requests.accept': staff,
  'requests.release': staff,
  'requests.complete': staff,
  'requests.reopen': staff,
  'requests.markSeen': staff,
  'requests.moveParty': staff,
  'requests.undoPartyMove': staff,
  'presence.setListening': staff,
  'tables.mute': staff,
  'tables.unmute': staff,
  'connection.ping': anybody,
  'connection.resume': anybody,
  'shift.startBreak': crewMember,
  'shift.endBreak': crewMember,
  'shift.handOverRequests': crewMember,
  'roleCalls.send': crewMember,
  'roleCalls.claim': crewMember,
  'messages.list': crewMember,
  'messages.send': crewMember,
  'messages.remove': crewMember,
} as const satisfies Record<RouteOperation | LiveOperation | NavigationOperation, Rights>

export type Operation = keyof typeof permissions

const isOperation = (name: string): name is Operation => Object.hasOwn(permissions, name)

const routeOperations: ReadonlyMap<Route, string> = new Map(
  Object.entries(api).flatMap(([group, routes]) =>
    Object.entries(routes).map(([name, route]): [Route, string] => [route, `${group}.${name}`]),
  ),
)

export function operationOf(route: Route): Operation {
  const name = routeOperations.get(route)
  if (name === undefined || !isOperation(name))
    throw new Error(`${route.path} is not a route of the contract`)
  return name
}
