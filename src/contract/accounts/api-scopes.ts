import type { Operation } from '../permissions.ts'
import type { ApiScope } from './api-tokens.ts'

/** What the scopes of an API token allow; `any` is allowed to each token, and what is not listed to none. */
export const apiScopeOf: Partial<Record<Operation, ApiScope | 'any'>> = {
  'apiTokens.own': 'any',
  'connection.ping': 'any',
  'connection.resume': 'any',
  'requests.listPending': 'requests:read',
  'tables.history': 'requests:read',
  'requests.accept': 'requests:act',
  'requests.release': 'requests:act',
  'requests.complete': 'requests:act',
  'requests.reopen': 'requests:act',
  'floor.tables': 'floor:read',
  'floor.hostStand': 'floor:read',
  'floor.assignmentsByDate': 'floor:read',
  'tables.plan': 'floor:read',
  'crew.list': 'floor:read',
  'seating.list': 'floor:read',
  'opening.state': 'floor:read',
  'needs.state': 'floor:read',
  'seating.open': 'seating:act',
  'seating.close': 'seating:act',
  'seating.undoClose': 'seating:act',
  'analytics.figures': 'figures:read',
  'analytics.overview': 'figures:read',
  'analytics.doneToday': 'figures:read',
  'analytics.expectedTimes': 'figures:read',
  'analytics.events': 'figures:read',
}
