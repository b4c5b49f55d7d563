/** Who somebody is to a restaurant. A browser session may be several at once; its rights are their union. */
export type Principal = 'guest' | 'device' | 'crew' | 'manager' | 'owner'

/**
 * `yes` always means "within the own restaurant".
 * - `own`: only what concerns oneself (one's own crew member, one's own figures).
 * - `recent`: only within 15 minutes after signing in, or after confirming who one is.
 * - `login-recent`: the same for logins and PINs, which are a part of what it changes; the rest at any time.
 * - `paid`: only while the restaurant's subscription is active.
 * - `reduced`: answers fewer fields.
 * - `named`: only where the connection has chosen a crew member.
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

/** Every call and every live message, and who may use it. What is not here is not allowed. */
export const permissions = {
  'GET /api/login': anybody,
  'GET /api/login/callback': anybody,
  'GET /api/logout': anybody,
  'GET /api/demo-crew/:key': anybody,
  'GET /api/session': staff,
  'GET /api/auth/user': owner,
  'POST /api/auth/setup-restaurant': owner,
  'POST /api/create-subscription': recentOwner,
  'POST /api/confirm-subscription': recentOwner,
  'POST /api/subscription/cancel': recentOwner,
  'POST /api/subscription/resume': recentOwner,
  'POST /api/subscription/change-plan': recentOwner,
  'POST /api/subscription/portal': recentOwner,
  'GET /api/subscription': owner,
  'GET /api/payment-config': owner,
  'POST /api/sandbox/setup-intents/:id/confirm': owner,
  'POST /api/sandbox/advance': owner,
  'POST /api/restaurant-login': anybody,
  'POST /api/restaurant-signup': anybody,
  'POST /api/restaurant-password': recentOwner,
  'GET /api/authenticator': management,
  'POST /api/authenticator': recentManagement,
  'POST /api/authenticator/confirm': recentManagement,
  'POST /api/authenticator/remove': recentManagement,
  'GET /api/passkeys': management,
  'POST /api/passkeys/setup': recentManagement,
  'POST /api/passkeys': recentManagement,
  'DELETE /api/passkeys/:id': recentManagement,
  'POST /api/passkey-challenge': anybody,
  'POST /api/passkey-login': anybody,
  'GET /api/confirm-identity': management,
  'POST /api/confirm-identity/challenge': management,
  'POST /api/confirm-identity': management,
  'POST /api/management-login': anybody,
  'POST /api/demo-login': anybody,
  'POST /api/waiter-login': anybody,
  'GET /api/check-manager-credentials/:restaurantName': rights('no', 'yes', 'no', 'yes', 'yes'),
  'POST /api/setup-manager-credentials': rights('no', 'recent', 'no', 'no', 'recent'),
  'GET /api/crew-by-restaurant': staff,
  'GET /api/tables-by-restaurant': staff,
  'GET /api/crew-assignments': rights('no', 'yes', 'own', 'yes', 'yes'),
  'GET /api/qr-codes/me': management,
  'POST /api/qr-codes': paidOwner,
  'DELETE /api/qr-codes/me': recentOwner,
  'GET /api/qr-codes/sheet': rights('no', 'no', 'no', 'yes', 'paid'),
  'GET /api/admin/current-user': rights('no', 'no', 'no', 'reduced', 'yes'),
  'POST /api/admin/manager-credentials': recentManagement,
  'DELETE /api/admin/managers/:id': recentOwner,
  'DELETE /api/admin/managers/:id/sessions': owner,
  'POST /api/device-login': anybody,
  'POST /api/device-link': anybody,
  'POST /api/device-link-login': anybody,
  'POST /api/device-codes': management,
  'GET /api/device-codes/:id': management,
  'DELETE /api/device-codes/:id': management,
  'GET /api/devices': management,
  'PATCH /api/devices/:id': management,
  'DELETE /api/devices/:id': management,
  'GET /api/sessions': management,
  'DELETE /api/sessions': management,
  'DELETE /api/sessions/:id': management,
  'GET /api/staff-password': owner,
  'POST /api/staff-password': recentOwner,
  'DELETE /api/staff-password': recentOwner,
  'GET /api/recovery-codes': management,
  'POST /api/recovery-codes': rights('no', 'no', 'no', 'recent', 'recent'),
  'POST /api/forgot-password': anybody,
  'POST /api/reset-password': anybody,
  'GET /api/owner-notices': owner,
  'DELETE /api/owner-notices/:id': owner,
  'GET /api/tables': management,
  'GET /api/host-stand': management,
  'GET /api/crew': management,
  'GET /api/table-assignments-by-date': management,
  'GET /api/crew/:id': owner,
  'POST /api/crew': owner,
  'PATCH /api/crew/:id': rights('no', 'no', 'own', 'no', 'login-recent'),
  'DELETE /api/crew/:id': owner,
  'POST /api/table-assignments/bulk': owner,
  'POST /api/table-assignments/copy-to-week': owner,
  'POST /api/host-stand-assignments': owner,
  'POST /api/tables/setup': owner,
  'POST /api/tables': owner,
  'DELETE /api/tables/:id': owner,
  'GET /api/audit-log': owner,
  'GET /api/audit-log.csv': recentOwner,
  'GET /api/alert-settings': management,
  'POST /api/alert-settings': owner,
  'GET /api/analytics': rights('no', 'no', 'own', 'yes', 'yes'),
  'GET /api/analytics/events.csv': rights('no', 'no', 'own', 'recent', 'recent'),
  'GET /api/analytics/overview': management,
  'GET /api/restaurant': management,
  'PATCH /api/restaurant': owner,
  'GET /api/push-key': staff,
  'POST /api/push-subscriptions': staff,
  'DELETE /api/push-subscriptions/:id': staff,
  'POST /api/service-requests': anybody,
  'GET /api/service-requests/mine': anybody,
  'POST /api/service-requests/:id/cancel': anybody,
  'POST /api/service-requests/:id/still-waiting': anybody,

  'service-request': anybody,
  'set-restaurant-context': anybody,
  'set-crew-member-context': rights('no', 'yes', 'own', 'yes', 'yes'),
  'update-assigned-tables': crewMember,
  'get-pending-requests': staff,
  'accept-request': staff,
  'release-request': staff,
  'complete-request': staff,
  'reopen-request': staff,
  'requests-seen': staff,
  listening: staff,
  'mute-table': staff,
  'unmute-table': staff,
  ping: anybody,
  'start-break': crewMember,
  'end-break': crewMember,
  'hand-over-requests': crewMember,
  'send-role-message': crewMember,
  'claim-role-message': crewMember,
  'get-team-messages': crewMember,
  'send-team-message': crewMember,
  'delete-team-message': crewMember,
} as const satisfies Record<string, Rights>

export type Call = keyof typeof permissions

export const isCall = (name: string): name is Call => Object.hasOwn(permissions, name)
