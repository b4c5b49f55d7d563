import * as initial from './001-initial.ts'
import * as billing from './002-billing.ts'
import * as alerts from './004-alerts.ts'
import * as shift from './005-shift.ts'
import * as leanerRequests from './006-leaner-requests.ts'
import * as managerNotice from './008-manager-notice.ts'
import * as messageAge from './009-message-age.ts'
import * as secondFactors from './014-second-factors.ts'
import * as passkeys from './018-passkeys.ts'
import * as stillWaiting from './017-still-waiting.ts'
import * as push from './007-push.ts'
import * as analytics from './003-analytics.ts'
import * as audit from './010-audit.ts'
import * as grantRestaurant from './011-grant-restaurant.ts'
import * as devices from './012-devices.ts'
import * as recovery from './013-recovery.ts'
import * as restaurantSwitches from './016-restaurant-switches.ts'

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
  '010-audit': audit,
  '011-grant-restaurant': grantRestaurant,
  '012-devices': devices,
  '013-recovery': recovery,
  '014-second-factors': secondFactors,
  '016-restaurant-switches': restaurantSwitches,
  '017-still-waiting': stillWaiting,
  '018-passkeys': passkeys,
}
