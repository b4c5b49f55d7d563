/** Who somebody is to a restaurant. A browser session may be several at once; its rights are their union. */
export type Principal = 'guest' | 'device' | 'crew' | 'manager' | 'owner'

/**
 * `yes` always means "within the own restaurant".
 * - `own`: only what concerns oneself (one's own crew member, one's own figures).
 * - `recent`: only shortly after typing the password.
 * - `paid`: only while the restaurant's subscription is active.
 * - `reduced`: answers fewer fields.
 * - `named`: only where the connection has chosen a crew member.
 */
export type Right = 'yes' | 'no' | 'own' | 'recent' | 'paid' | 'reduced' | 'named'

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
  'POST /api/create-subscription': owner,
  'POST /api/confirm-subscription': owner,
  'POST /api/subscription/cancel': owner,
  'POST /api/subscription/resume': owner,
  'POST /api/subscription/change-plan': owner,
  'POST /api/subscription/portal': owner,
  'GET /api/subscription': owner,
  'GET /api/payment-config': owner,
  'POST /api/sandbox/setup-intents/:id/confirm': owner,
  'POST /api/sandbox/advance': owner,
  'POST /api/restaurant-login': anybody,
  'POST /api/restaurant-signup': anybody,
  'POST /api/restaurant-password': owner,
  'POST /api/management-login': anybody,
  'POST /api/demo-login': anybody,
  'POST /api/waiter-login': anybody,
  'GET /api/check-manager-credentials/:restaurantName': rights('no', 'yes', 'no', 'yes', 'yes'),
  'POST /api/setup-manager-credentials': rights('no', 'recent', 'no', 'no', 'yes'),
  'GET /api/crew-by-restaurant': staff,
  'GET /api/tables-by-restaurant': staff,
  'GET /api/crew-assignments': rights('no', 'yes', 'own', 'yes', 'yes'),
  'GET /api/qr-codes/me': management,
  'POST /api/qr-codes': paidOwner,
  'DELETE /api/qr-codes/me': owner,
  'GET /api/qr-codes/sheet': rights('no', 'no', 'no', 'yes', 'paid'),
  'GET /api/admin/current-user': rights('no', 'no', 'no', 'reduced', 'yes'),
  'POST /api/admin/manager-credentials': rights('no', 'no', 'no', 'recent', 'yes'),
  'DELETE /api/admin/managers/:id': owner,
  'DELETE /api/admin/manager-notice': owner,
  'GET /api/tables': management,
  'GET /api/host-stand': management,
  'GET /api/crew': management,
  'GET /api/table-assignments-by-date': management,
  'GET /api/crew/:id': owner,
  'POST /api/crew': owner,
  'PATCH /api/crew/:id': rights('no', 'no', 'own', 'no', 'yes'),
  'DELETE /api/crew/:id': owner,
  'POST /api/table-assignments/bulk': owner,
  'POST /api/table-assignments/copy-to-week': owner,
  'POST /api/host-stand-assignments': owner,
  'POST /api/tables/setup': owner,
  'POST /api/tables': owner,
  'DELETE /api/tables/:id': owner,
  'GET /api/alert-settings': management,
  'POST /api/alert-settings': owner,
  'GET /api/analytics': rights('no', 'no', 'own', 'yes', 'yes'),
  'GET /api/analytics/events.csv': rights('no', 'no', 'own', 'yes', 'yes'),
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
  ping: anybody,
  'start-break': crewMember,
  'end-break': crewMember,
  'send-role-message': crewMember,
  'claim-role-message': crewMember,
  'get-team-messages': crewMember,
  'send-team-message': crewMember,
  'delete-team-message': crewMember,
} as const satisfies Record<string, Rights>

export type Call = keyof typeof permissions

export const isCall = (name: string): name is Call => Object.hasOwn(permissions, name)
