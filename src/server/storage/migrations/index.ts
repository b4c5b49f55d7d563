import * as initial from './001-initial.ts'
import * as billing from './002-billing.ts'
import * as alerts from './004-alerts.ts'
import * as shift from './005-shift.ts'
import * as leanerRequests from './006-leaner-requests.ts'
import * as managerNotice from './008-manager-notice.ts'
import * as messageAge from './009-message-age.ts'
import * as push from './007-push.ts'
import * as analytics from './003-analytics.ts'

/** In order, for ever: a migration that has shipped is never edited. */
export const migrations = {
  '001-initial': initial,
  '002-billing': billing,
  '003-analytics': analytics,
  '004-alerts': alerts,
  '005-shift': shift,
  '006-leaner-requests': leanerRequests,
  '007-push': push,
  '008-manager-notice': managerNotice,
  '009-message-age': messageAge,
}
