import * as initial from './001-initial.ts'
import * as billing from './002-billing.ts'
import * as analytics from './003-analytics.ts'
import * as alerts from './004-alerts.ts'
import * as shift from './005-shift.ts'
import * as leanerRequests from './006-leaner-requests.ts'
import * as push from './007-push.ts'
import * as managerNotice from './008-manager-notice.ts'
import * as messageAge from './009-message-age.ts'
import * as audit from './010-audit.ts'
import * as grantRestaurant from './011-grant-restaurant.ts'
import * as devices from './012-devices.ts'
import * as recovery from './013-recovery.ts'
import * as secondFactors from './014-second-factors.ts'
import * as restaurantSwitches from './016-restaurant-switches.ts'
import * as stillWaiting from './017-still-waiting.ts'
import * as passkeys from './018-passkeys.ts'
import * as newestIndexes from './019-newest-indexes.ts'
import * as outsideAlerts from './020-outside-alerts.ts'
import * as mailedLinks from './021-mailed-links.ts'
import * as alarmSet from './022-alarm-set.ts'
import * as called from './023-called.ts'
import * as partyMoves from './025-party-moves.ts'
import * as messageLanguage from './026-message-language.ts'
import * as sections from './027-sections.ts'
import * as tableButtons from './028-table-buttons.ts'
import * as opening from './029-opening.ts'
import * as expectedTimes from './030-expected-times.ts'
import * as needs from './031-needs.ts'
import * as askedNeeds from './032-asked-needs.ts'
import * as managerNotes from './033-manager-notes.ts'
import * as guestCard from './034-guest-card.ts'
import * as seating from './035-seating.ts'
import * as deletedItems from './036-deleted-items.ts'
import * as firstSteps from './037-first-steps.ts'
import * as restaurantEndings from './038-restaurant-endings.ts'
import * as shortLinks from './039-short-links.ts'
import * as weeklyPattern from './040-weekly-pattern.ts'
import * as weeklyReports from './041-weekly-reports.ts'
import * as apiTokens from './042-api-tokens.ts'
import * as webhookEvents from './043-webhook-events.ts'
import * as limitCounts from './044-limit-counts.ts'
import * as memberships from './045-memberships.ts'
import * as retention from './047-retention.ts'
import * as dueIndexes from './048-due-indexes.ts'
import * as notePlaces from './049-note-places.ts'
import * as expiredDeliveries from './050-expired-deliveries.ts'
import * as deliveryHolders from './051-delivery-holders.ts'
import * as messagePushes from './052-message-pushes.ts'
import * as notePushes from './053-note-pushes.ts'
import * as openCalls from './054-open-calls.ts'
import * as outdatedPushes from './055-outdated-pushes.ts'
import * as pastEvents from './056-past-events.ts'

/** In order, for ever: a migration that has shipped is never edited. 015, 024 and 046 are unused. */
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
  '019-newest-indexes': newestIndexes,
  '020-outside-alerts': outsideAlerts,
  '021-mailed-links': mailedLinks,
  '022-alarm-set': alarmSet,
  '023-called': called,
  '025-party-moves': partyMoves,
  '026-message-language': messageLanguage,
  '027-sections': sections,
  '028-table-buttons': tableButtons,
  '029-opening': opening,
  '030-expected-times': expectedTimes,
  '031-needs': needs,
  '032-asked-needs': askedNeeds,
  '033-manager-notes': managerNotes,
  '034-guest-card': guestCard,
  '035-seating': seating,
  '036-deleted-items': deletedItems,
  '037-first-steps': firstSteps,
  '038-restaurant-endings': restaurantEndings,
  '039-short-links': shortLinks,
  '040-weekly-pattern': weeklyPattern,
  '041-weekly-reports': weeklyReports,
  '042-api-tokens': apiTokens,
  '043-webhook-events': webhookEvents,
  '044-limit-counts': limitCounts,
  '045-memberships': memberships,
  '047-retention': retention,
  '048-due-indexes': dueIndexes,
  '049-note-places': notePlaces,
  '050-expired-deliveries': expiredDeliveries,
  '051-delivery-holders': deliveryHolders,
  '052-message-pushes': messagePushes,
  '053-note-pushes': notePushes,
  '054-open-calls': openCalls,
  '055-outdated-pushes': outdatedPushes,
  '056-past-events': pastEvents,
}
