import type { Figures, Totals, WithinTarget } from '#contract/analytics.ts'
import { serviceTypes, targetMs } from '#contract/requests.ts'
import type { Alarm } from '../storage/analytics.ts'
import { hourOf } from './calendar.ts'
import { sectionsOf } from './crew-sections.ts'
import { compareNames } from './name-order.ts'
import { spreadOf } from './spreads.ts'
import {
  alarmsOf,
  type Material,
  responsesOf,
  toldOf,
  type Time,
  timesOf,
  type Told,
  type Whose,
} from './told-requests.ts'
import { type Measured, unheardOf } from './unheard.ts'

type Asked = Pick<Figures, 'range' | 'before' | 'timeZone' | 'asOf'> & { whose: Whose }

export function figuresOf(
  { whose, ...asked }: Asked,
  material: Material,
  before: Material,
  measured: Measured,
): Figures {
  const { calendar, assignments } = material
  const now = asked.asOf
  const told = toldOf(material, whose, now)
  const hours = groupsOf(told, 24, ({ created }) => hourOf(created, calendar.offsetAt(created)))
  const days = groupsOf(told, calendar.days.length, ({ day }) => day)
  const types = groupsOf(told, serviceTypes.length, ({ type }) => serviceTypes.indexOf(type))
  const { sections, unassigned, byLoad } = sectionsOf(told, assignments, whose)
  return {
    ...asked,
    scope: whose === null ? 'restaurant' : 'own',
    totals: totalsOf(told, alarmsOf(material, whose)),
    previous: totalsOf(toldOf(before, whose, now), alarmsOf(before, whose)),
    byHour: hours.map((ofHour, hour) => ({ hour, ...counted(ofHour) })),
    byDay: calendar.days.map((day, index) => ({ day, ...counted(days[index] ?? []) })),
    byType: serviceTypes.map((serviceType, index) => ({
      serviceType,
      ...counted(types[index] ?? []),
      targetMs: targetMs[serviceType],
      withinTarget: withinTargetOf(types[index] ?? []),
    })),
    byTable: byTable(told),
    sections,
    unassigned,
    byLoad: whose === null ? byLoad : [],
    unheard: whose === null ? unheardOf(told, measured) : null,
  }
}

function totalsOf(told: Told[], alarms: Alarm[]): Totals {
  const requestsWith = (kind: Alarm['kind']) =>
    new Set(alarms.filter((alarm) => alarm.kind === kind).map(({ request }) => request)).size
  const spreadOver = (time: Time) => spreadOf(timesOf(told, time))
  return {
    requests: told.length,
    times: {
      response: spreadOver('response'),
      unseen: spreadOver('unseen'),
      accepted: spreadOver('accepted'),
      completed: spreadOver('completed'),
    },
    withinTarget: withinTargetOf(told),
    repeatedAsks: repeatsOf(told),
    askedAgain: sum(told, ({ asks }) => (asks > 1 ? 1 : 0)),
    cancelled: sum(told, ({ cancelled }) => (cancelled ? 1 : 0)),
    escalated: requestsWith('escalated'),
    stillWaiting: requestsWith('still_waiting'),
  }
}

function withinTargetOf(told: Told[]): WithinTarget {
  let within = 0
  let of = 0
  for (const { inTime } of told) {
    if (inTime !== null) of++
    if (inTime === true) within++
  }
  return { within, of }
}

function sum(told: Told[], of: (one: Told) => number): number {
  let all = 0
  for (const one of told) all += of(one)
  return all
}

const repeatsOf = (told: Told[]): number => sum(told, ({ asks }) => asks - 1)

function byTable(told: Told[]): Figures['byTable'] {
  const tables = new Map<string, Told[]>()
  for (const one of told) {
    const table = tables.get(one.table)
    if (table) table.push(one)
    else tables.set(one.table, [one])
  }
  return [...tables.values()]
    .map((ofTable) => ({
      tableNumber: ofTable.at(-1)?.tableNumber ?? '',
      ...counted(ofTable),
      repeatedAsks: repeatsOf(ofTable),
      withinTarget: withinTargetOf(ofTable),
    }))
    .toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber))
}

const groupsOf = (told: Told[], count: number, groupOf: (one: Told) => number): Told[][] => {
  const groups = Array.from({ length: count }, (): Told[] => [])
  for (const one of told) groups[groupOf(one)]?.push(one)
  return groups
}

const counted = (told: Told[]) => ({ requests: told.length, response: spreadOf(responsesOf(told)) })
