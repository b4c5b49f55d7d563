import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { Email, ManagerCredentials } from '#contract/accounts/account-forms.ts'
import { NewApiToken } from '#contract/accounts/api-tokens.ts'
import { DeviceChange } from '#contract/accounts/devices.ts'
import { AlarmSet } from '#contract/accounts/restaurants.ts'
import { Retention } from '#contract/accounts/retention.ts'
import { CrewName, CrewRole, CrewChange } from '#contract/crew/crew.ts'
import { MessageText, NewTeamMessage } from '#contract/crew/messages.ts'
import { NewRoleCall } from '#contract/crew/shift.ts'
import { mapSize, Section } from '#contract/floor/sections.ts'
import { PatternEnd } from '#contract/floor/weekly-pattern.ts'
import { GuestCard } from '#contract/guests/guest-card.ts'
import { NewGuestNote, NoteClosed, NoteTaken } from '#contract/guests/manager-notes.ts'
import { Opening } from '#contract/guests/opening.ts'
import { readShortCode } from '#contract/guests/short-links.ts'
import { NewOutsideChannel } from '#contract/outside/outside-alerts.ts'
import { parse } from '#contract/parse.ts'
import {
  CalendarDate,
  Id,
  isStorableText,
  RestaurantName,
  TableNumber,
  TimeZone,
} from '#contract/primitives.ts'
import { NewPushSubscription } from '#contract/push.ts'
import { EscalationSettings, Delay } from '#contract/requests/escalation.ts'
import { RestaurantNeeds } from '#contract/requests/needs.ts'
import { NewServiceRequest } from '#contract/requests/requests.ts'
import type { Db } from '../src/server/storage/engine/types.ts'
import type { Schema } from '../src/server/storage/schema.ts'

type Contracts = { [T in keyof Schema]?: { [C in keyof Schema[T]]?: v.GenericSchema } }

const asJson = (schema: v.GenericSchema): v.GenericSchema =>
  v.pipe(
    v.string(),
    v.check((text) => acceptsAsItIs(schema, JSON.parse(text))),
  )

const cell = (cells: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(cells - 1))
const shortCode = v.pipe(
  v.string(),
  v.check((code) => readShortCode(code) === code),
)
const { endpoint, keys } = NewPushSubscription.entries

/** What takes what is stored in each column. */
const contracts: Contracts = {
  restaurant: {
    name: RestaurantName,
    timeZone: TimeZone,
    alarmSet: AlarmSet,
    opening: asJson(Opening),
    needs: asJson(RestaurantNeeds.entries.needs),
    guestCard: asJson(GuestCard),
  },
  retention: {
    requestDays: Retention.entries.requests,
    messageDays: Retention.entries.messages,
    logDays: Retention.entries.log,
    undo: asJson(Retention),
  },
  owner: { email: Email },
  manager: { username: ManagerCredentials.entries.username },
  session: { name: DeviceChange.entries.name },
  crewMember: { name: CrewName, role: CrewRole, username: CrewChange.entries.username },
  section: { name: Section.entries.name, position: v.pipe(v.number(), v.integer()) },
  floorTable: { tableNumber: TableNumber, mapX: cell(mapSize.columns), mapY: cell(mapSize.rows) },
  shortLink: { code: shortCode },
  apiToken: { name: NewApiToken.entries.name },
  mutedTable: { tableNumber: TableNumber },
  managerNote: {
    id: Id,
    tableNumber: TableNumber,
    text: NewGuestNote.entries.text,
    takenBy: NoteTaken.entries.name,
    answer: NoteClosed.entries.answer,
  },
  weeklyPattern: { filledTo: CalendarDate },
  patternAssignment: { weekday: PatternEnd.entries.weekday },
  plannedDay: { date: CalendarDate },
  tableAssignment: { date: CalendarDate, crewMemberId: Id },
  deletedAssignment: { date: CalendarDate },
  serviceRequest: {
    id: Id,
    tableNumber: TableNumber,
    movedTo: TableNumber,
    note: NewServiceRequest.entries.note,
    localDay: CalendarDate,
  },
  roleCall: {
    role: CrewRole,
    messageKey: NewRoleCall.entries.messageKey,
    tableNumber: NewRoleCall.entries.tableNumber,
  },
  alertSetting: { settings: asJson(EscalationSettings) },
  teamMessage: {
    id: Id,
    messageText: MessageText,
    messageKey: NewTeamMessage.entries.messageKey,
    language: NewTeamMessage.entries.language,
  },
  partyMove: { id: Id, fromNumber: TableNumber, toNumber: TableNumber },
  pushSubscription: { endpoint, p256dh: keys.entries.p256dh, auth: keys.entries.auth },
  outsideAlertSetting: { afterMs: Delay },
}

/** Also that the contract would not change it, such as take away spaces around a name. */
function acceptsAsItIs(schema: v.GenericSchema, value: unknown): boolean {
  const parsed = parse(schema, value)
  return parsed.ok && isDeepStrictEqual(parsed.value, value)
}

/** Tables of which no contract says more than that texts can be stored and numbers are finite. */
const others = [
  'restaurantName',
  'deletedItem',
  'tableButton',
  'tableSeating',
  'crewBreak',
  'requestEvent',
  'liveStream',
  'guestVisit',
  'auditEntry',
  'outsideEvent',
  'outsidePastEvent',
  'passkey',
] as const satisfies (keyof Schema)[]

/** The first value that should not be stored; null if all are right. */
export async function findWrongRow(db: Db): Promise<string | null> {
  for (const table of [
    ...(Object.keys(contracts) as (keyof Schema)[]),
    'outsideChannel',
    ...others,
  ] as const) {
    const columns = new Map<string, v.GenericSchema>(Object.entries(contracts[table] ?? {}))
    for (const row of await db.selectFrom(table).selectAll().execute()) {
      const wrong = Object.entries(row).find(([column, value]) => !isRight(columns.get(column), value))
      if (wrong) return `${table}.${wrong[0]} holds ${JSON.stringify(wrong[1])}`
      if (table === 'outsideChannel' && !v.is(NewOutsideChannel, row))
        return `${table} holds ${JSON.stringify(row)}`
    }
  }
  return null
}

function isRight(schema: v.GenericSchema | undefined, value: unknown): boolean {
  if (value === null) return true
  if (typeof value === 'string' && !isStorableText(value)) return false
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  return schema === undefined || acceptsAsItIs(schema, value)
}
