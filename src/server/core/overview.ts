import { changeInPercent, type Overview } from '#contract/analytics.ts'
import type { RequestRow } from '../storage/analytics.ts'
import { compareNames } from './name-order.ts'
import { mean, spreadOf } from './spreads.ts'
import { type Material, responsesOf, toldOf, type Told } from './told-requests.ts'

const daysBefore = 7

/** `week` is today and the seven days before it. */
export function overviewOf(
  { timeZone, now }: { timeZone: string; now: number },
  week: Omit<Material, 'alarms'>,
  latest: RequestRow[],
): Overview {
  const told = toldOf({ ...week, alarms: [] }, null, now)
  const day = week.calendar.days.at(-1) ?? ''
  const isToday = (one: Told) => one.day === daysBefore
  const today = told.filter(isToday)
  const before = told.filter((one) => !isToday(one))
  const [response, usual] = [mean(responsesOf(today)), mean(responsesOf(before))]
  const active = week.assignments.filter(({ date }) => date === day)
  return {
    day,
    timeZone,
    requestsToday: today.length,
    requestsChange: changeInPercent(today.length, before.length / daysBefore),
    averageResponseMs: response === null ? null : Math.round(response),
    medianResponseMs: spreadOf(responsesOf(today))?.medianMs ?? null,
    responseChange: changeInPercent(response, usual),
    activeTables: active.length,
    tables: active
      .map(({ table, tableKey, crewMemberId, name }) => ({
        tableNumber: table,
        crewMember: { id: crewMemberId, name },
        requests: today.filter((one) => one.table === tableKey).length,
      }))
      .toSorted((a, b) => compareNames(a.tableNumber, b.tableNumber)),
    latest: latest.map(toLatest),
  }
}

function toLatest(row: RequestRow): Overview['latest'][number] {
  const { createdAt: created, acceptedAt, answeredAt, closedAt, closedAs } = row
  const answered = answeredAt ?? (closedAs === 'completed' ? closedAt : null)
  return {
    id: row.id,
    tableNumber: row.tableNumber,
    serviceType: row.serviceType,
    timestamp: created,
    state: closedAs ?? (acceptedAt === null ? 'waiting' : 'accepted'),
    asks: row.asks,
    responseMs: answered === null ? null : answered - created,
  }
}
