import { restaurantSwitches } from '#contract/accounts/restaurants.ts'
import type { Schema } from '../../storage/schema.ts'

type Exported<T extends keyof Schema> = {
  about: string
  columns: readonly (keyof Schema[T])[]
  /** Columns with web addresses, of which only the host is written: the rest may be a secret. */
  hosts?: readonly (keyof Schema[T])[]
}

/**
 * What an export holds of a restaurant, besides its events. Never what gives access: hashes, keys, tokens, addresses of
 * devices. A table that is not named here stays out, and the manifest says so.
 */
export const exportedTables: { [T in keyof Schema]?: Exported<T> } = {
  restaurant: {
    about: 'The restaurant and its settings. opening, needs and guestCard are JSON.',
    columns: [
      'id',
      'name',
      'timeZone',
      'codeGeneration',
      ...restaurantSwitches,
      'alarmSet',
      'opening',
      'needs',
      'guestCard',
      'createdAt',
    ],
  },
  retention: {
    about: 'For how many days what is kept. Nothing else: for as long as the restaurant exists.',
    columns: [
      'requestDays',
      'messageDays',
      'logDays',
      'requestsRemovedBefore',
      'messagesRemovedBefore',
      'logRemovedBefore',
    ],
  },
  restaurantName: { about: 'Every name it has had.', columns: ['nameKey'] },
  owner: { about: 'Its owners.', columns: ['id', 'email', 'createdAt'] },
  membership: {
    about: 'Owners whose account began with another restaurant.',
    columns: ['ownerId', 'addedAt'],
  },
  manager: { about: 'Its managers.', columns: ['id', 'username', 'setAt'] },
  crewMember: {
    about: 'Its crew, with those who were removed.',
    columns: ['id', 'name', 'role', 'username', 'createdAt', 'deletedAt', 'sectionId'],
  },
  section: { about: 'The sections of the floor.', columns: ['id', 'name', 'position', 'createdAt'] },
  floorTable: {
    about: 'Its tables and host stands.',
    columns: ['id', 'tableNumber', 'category', 'createdAt', 'sectionId', 'mapX', 'mapY'],
  },
  tableAssignment: {
    about: 'Who looks after which table on which day.',
    columns: ['date', 'tableId', 'slot', 'crewMemberId'],
  },
  serviceRequest: {
    about: 'Every request, as it is now, without what guests wrote for the crew. need and choice are JSON.',
    columns: [
      'id',
      'tableId',
      'tableNumber',
      'movedTo',
      'serviceType',
      'need',
      'choice',
      'createdAt',
      'localDay',
      'asks',
      'lastAskedAt',
      'seen',
      'seenAt',
      'level',
      'verified',
      'byButton',
      'acceptedAt',
      'acceptedBy',
      'acceptedByName',
      'answeredAt',
      'answeredBy',
      'closedAt',
      'closedAs',
      'mergedInto',
      'closedBy',
      'closedByName',
      'stillWaiting',
      'stillWaitingAt',
      'expectedFromMs',
      'expectedUntilMs',
    ],
  },
  requestEvent: {
    about: 'What happened to the requests, and who did it. A guest is the random id of a device.',
    columns: ['id', 'requestId', 'at', 'kind', 'actorKind', 'actorId', 'actorName'],
  },
  roleCall: {
    about: 'Calls of the crew for somebody of a role.',
    columns: [
      'id',
      'role',
      'messageKey',
      'tableNumber',
      'fromId',
      'fromName',
      'createdAt',
      'alerts',
      'claimedAt',
      'claimedBy',
      'claimedByName',
    ],
  },
  crewBreak: { about: 'Who is on a break.', columns: ['crewMemberId', 'coverId', 'since'] },
  alertSetting: { about: 'When requests escalate, as JSON.', columns: ['settings'] },
  teamMessage: {
    about: 'Messages among the crew.',
    columns: [
      'id',
      'senderCrewId',
      'senderCrewName',
      'targetCrewId',
      'targetCrewName',
      'messageKey',
      'messageText',
      'language',
      'createdAt',
      'deletedAt',
    ],
  },
  managerNote: {
    about: 'What guests wrote to the manager.',
    columns: [
      'id',
      'tableNumber',
      'text',
      'verified',
      'createdAt',
      'placedAt',
      'seenAt',
      'takenAt',
      'takenBy',
      'closedAt',
      'answer',
    ],
  },
  mutedTable: {
    about: 'Tables whose guests cannot ask.',
    columns: ['tableNumber', 'until', 'byId', 'byName'],
  },
  tableSeating: {
    about: 'Tables that the crew opened and closed.',
    columns: ['tableKey', 'seatedAt', 'closedAt'],
  },
  partyMove: {
    about: 'Parties that moved lately.',
    columns: ['id', 'fromNumber', 'toNumber', 'at', 'undoneAt'],
  },
  listeningChange: {
    about: 'When the crew began and ceased to listen.',
    columns: ['id', 'at', 'listening'],
  },
  outsideChannel: {
    about:
      'Who outside is told when nobody answers, or of the topics as they happen, and gets reports. Of web addresses only the host.',
    columns: [
      'id',
      'kind',
      'address',
      'createdAt',
      'confirmedAt',
      'lastAt',
      'getsAlerts',
      'reportAt',
      'reportedWeek',
      'topics',
    ],
    hosts: ['address'],
  },
  outsideAlert: {
    about: 'Alarms to them of the last days.',
    columns: ['id', 'channelId', 'requestId', 'dueAt', 'doneAt'],
  },
  auditEntry: {
    about: 'Who changed what. detail is JSON.',
    columns: ['id', 'at', 'actorKind', 'actorId', 'actorName', 'action', 'detail'],
  },
  deletedItem: {
    about: 'What was deleted and can still be restored.',
    columns: ['kind', 'id', 'name', 'deletedAt'],
  },
  apiToken: {
    about: 'Tokens of other software, without what they prove themselves with.',
    columns: ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'],
  },
  outsideEvent: {
    about: 'What webhooks were told. data is JSON.',
    columns: ['id', 'channelId', 'source', 'type', 'at', 'data', 'dueAt', 'doneAt', 'attempts'],
  },
  patternAssignment: {
    about: 'Who looks after which table on which weekday, from week to week.',
    columns: ['weekday', 'tableId', 'slot', 'crewMemberId'],
  },
  tableButton: {
    about: 'Network buttons at tables.',
    columns: ['id', 'tableId', 'serviceType', 'createdAt', 'pressedAt'],
  },
  subscription: {
    about: 'What is paid for, as the payment provider said last.',
    columns: ['provider', 'status', 'plan', 'nextPlan', 'currentPeriodEnd', 'cancelAtPeriodEnd', 'asOf'],
  },
}
