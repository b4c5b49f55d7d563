import * as v from 'valibot'
import { keysOf } from './keys-of.ts'
import { Id, Timestamp } from './primitives.ts'

/** Every action in the audit log, with the label shown to owners. */
export const auditActions = {
  'apiTokens.create': 'Made an API token',
  'apiTokens.remove': 'Revoked an API token',
  'authenticator.turnOff': 'Turned an authenticator app off',
  'authenticator.turnOn': 'Turned an authenticator app on',
  'tableButtons.add': 'Made a table button',
  'tableButtons.remove': 'Revoked a table button',
  'crew.add': 'Added a crew member',
  'crew.change': 'Changed a crew member',
  'crew.remove': 'Removed a crew member',
  'crew.restore': 'Restored a crew member',
  'deviceCodes.cancel': 'Cancelled a device code',
  'deviceCodes.create': 'Made a device code',
  'devices.rename': 'Renamed a device',
  'devices.signIn': 'A device signed in with a code',
  'devices.signOut': 'Signed out a device',
  'floor.addTable': 'Added a table',
  'floor.assign': 'Assigned tables',
  'floor.assignHostStand': 'Assigned the host stand',
  'floor.copyFromPrevious': 'Copied assignments from the previous day',
  'floor.copyToWeek': 'Copied assignments to the week',
  'floor.removeTable': 'Deleted a table',
  'floor.restoreTable': 'Restored a table',
  'floor.setUp': 'Set up tables',
  'guestCard.set': 'Changed the guest card',
  'ladder.setSettings': 'Changed the alert settings',
  'managers.add': 'Added a manager',
  'managers.remove': 'Removed a manager',
  'managers.restore': 'Restored a manager',
  'managers.signOut': 'Signed a manager out everywhere',
  'managers.setPassword': "Changed a manager's password",
  'needs.set': 'Changed what guests can ask for',
  'opening.pause': 'Paused what guests can ask for',
  'opening.resume': 'Ended a pause',
  'opening.setHours': 'Changed the opening hours',
  'outsideAlerts.addChannel': 'Added an address for alerts that nobody answers',
  'outsideAlerts.changeChannel': 'Changed what an address outside gets',
  'outsideAlerts.confirmChannel': 'Confirmed an email address for alerts that nobody answers',
  'outsideAlerts.removeChannel': 'Removed an address for alerts that nobody answers',
  'outsideAlerts.setDelay': 'Changed when alerts that nobody answers go outside',
  'ownRestaurants.add': 'Added a restaurant of the same owner',
  'ownRestaurants.enter': 'Switched here from another restaurant of theirs',
  'ownRestaurants.leave': 'Switched to another restaurant of theirs',
  'owner.changeEmail': "Changed the owner's email address",
  'owner.setPassword': 'Changed the restaurant password',
  'passkeys.add': 'Added a passkey',
  'passkeys.remove': 'Removed a passkey',
  'qr.generate': 'Generated the QR code',
  'qr.remove': 'Deleted the QR code',
  'qr.revokeShortLink': 'Revoked the short link of a table',
  'recovery.createLink': 'Made a link on the server that sets a new owner password',
  'recovery.mailLink': 'Asked for an email with a link that sets a new owner password',
  'recovery.renewCodes': 'Made new recovery codes',
  'recovery.resetPassword': 'Reset a password',
  'restaurant.change': 'Changed the restaurant',
  'restaurant.remove': 'Deleted the restaurant',
  'restaurant.restore': 'Restored the restaurant',
  'retention.set': 'Changed how long things are kept',
  'sections.add': 'Added a section',
  'sections.arrange': 'Moved tables to a section',
  'sections.assign': 'Assigned sections',
  'sections.change': 'Renamed a section',
  'sections.remove': 'Deleted a section',
  'sections.reorder': 'Changed the order of the sections',
  'sections.restore': 'Restored a section',
  'sessions.signOut': 'Signed out a browser of their own',
  'sessions.signOutOthers': 'Signed out all other browsers of their own',
  'staffPassword.remove': 'Removed the staff password',
  'staffPassword.set': 'Set the staff password',
  'subscription.cancel': 'Cancelled the subscription',
  'subscription.change-plan': 'Changed the plan',
  'subscription.resume': 'Resumed the subscription',
  'subscription.start': 'Subscribed',
  'tables.mute': 'Muted a table',
  'tables.unmute': 'Unmuted a table',
  'weeklyPattern.clearDay': 'Assigned nobody on a day',
  'weeklyPattern.end': 'Ended a weekly pattern',
  'weeklyPattern.resume': 'Returned a day to the weekly pattern',
  'weeklyPattern.save': 'Saved a weekly pattern',
} as const

export type AuditAction = keyof typeof auditActions

/** A change that somebody made in the restaurant. `detail` holds names and values, never a secret. */
export const AuditEntry = v.object({
  id: Id,
  at: Timestamp,
  actorKind: v.picklist(['owner', 'manager', 'crew', 'device', 'system']),
  actorName: v.string(),
  action: v.picklist(keysOf(auditActions)),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(v.string())])),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>
export type AuditDetail = AuditEntry['detail']

/** Newest first. */
export const AuditPage = v.object({ entries: v.array(AuditEntry), hasOlder: v.boolean() })
export type AuditPage = v.InferOutput<typeof AuditPage>

export const auditColumns = ['at_utc', 'actor_kind', 'actor_name', 'action', 'detail'] as const
