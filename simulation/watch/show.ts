import { targetResponseMs } from '#contract/requests/requests.ts'
import { serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import { requestStatusWithCount } from '../../src/client/features/guest/requests/table-requests.ts'
import { mean, summarizeDurations } from '../../src/server/core/analytics/percentiles.ts'
import type { Schema } from '../../src/server/storage/schema.ts'
import type { CrewMember } from '../evening/crew-member.ts'
import { closesAt, type Evening } from '../evening/evening.ts'
import type { Guest } from '../evening/guest.ts'
import { shareRaised } from '../evening/rush.ts'
import type { CrewView, RequestView, RushView, TableView, View } from './view.ts'

type Row = Schema['serviceRequest']

const shownEntries = 60

export const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 19)
const firstOf = (name: string): string => name.split(' ')[0] ?? name

/** Everything that the page shows of this moment. */
export async function show(
  evening: Evening,
  { isPaused, speed }: { isPaused: boolean; speed: View['speed'] },
): Promise<View> {
  const { guests, crew, tally, log, world, restaurant } = evening
  const open = await world.server.app.ctx.db.reader
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurant.id)
    .where('closedAt', 'is', null)
    .orderBy('createdAt')
    .execute()
  const events = evening.evidence.flatMap((each) => each.events)
  const count = (kind: string) => events.filter((event) => event.kind === kind).length
  const waits = summarizeDurations(listWaits(evening))
  const sum = (of: (guest: Guest) => number) => guests.reduce((total, guest) => total + of(guest), 0)
  return {
    state: evening.isOver ? 'over' : isPaused ? 'paused' : 'running',
    seed: evening.seed,
    clock: clockOf(Math.min(evening.now, closesAt)),
    speed,
    settings: evening.settings,
    counters: {
      taps: sum(({ phone }) => phone.tapped.length),
      acknowledged: sum(({ phone }) => phone.acknowledged.length),
      completed: count('completed') - count('reopened'),
      waiting: open.filter(({ acceptedAt }) => acceptedAt === null).length,
      lost: tally.count('lost'),
      untrue: tally.count('untrue'),
      broken: tally.count('broken'),
      alerts: (restaurant.manager?.received ?? []).filter(
        ({ payload: { tableside } }) => tableside.urgent && !tableside.withdraw,
      ).length,
      usualWaitMs: waits?.medianMs ?? null,
    },
    tables: guests.map((guest) =>
      showTable(
        guest,
        open.filter(({ tableNumber }) => tableNumber === guest.phone.tableNumber),
        evening,
      ),
    ),
    crew: crew.map((member, index) => showMember(member, index, evening)),
    rush: { ...showRush(evening), nineOfTenMs: waits?.p90Ms ?? null },
    screens: [...evening.links].map(([name, { network }]) => ({ name, network })),
    isPushLost: world.push.isLost,
    log: log.entries
      .slice(-shownEntries)
      .toReversed()
      .map(({ at, ...entry }) => ({ ...entry, clock: clockOf(at) })),
  }
}

/** From the first tap to the first "on my way". */
const listWaits = ({ evidence }: Evening): number[] =>
  evidence.flatMap(({ requests, eventsOf }) =>
    requests.flatMap(({ id, createdAt }) => {
      const accepted = eventsOf(id).find(({ kind }) => kind === 'accepted')
      return accepted ? accepted.at - createdAt : []
    }),
  )

function showRush({ evidence, crew }: Evening): Omit<RushView, 'nineOfTenMs'> {
  const levels = evidence.flatMap(({ requests }) => requests.map(({ level }) => level))
  const sounds = crew.flatMap(({ soundsInTenMinutes }) => soundsInTenMinutes ?? [])
  const raised = (to: 1 | 2) => (levels.length === 0 ? null : shareRaised(levels, to))
  return { soundsPerPerson: mean(sounds), toAll: raised(1), toManager: raised(2) }
}

function showTable({ phone, link }: Guest, rows: readonly Row[], evening: Evening): TableView {
  return {
    number: phone.tableNumber,
    network: link.network,
    unsent: phone.waiting.length,
    isUnheard: phone.isWhole && !phone.isFrozen && !phone.shown.listening && phone.shown.open.length > 0,
    requests: rows.map((row) => showRequest(row, phone, evening)),
  }
}

function showRequest(row: Row, phone: Guest['phone'], { crew, now }: Evening): RequestView {
  const type = serviceTypes.find((each) => each === row.serviceType) ?? 'general'
  const shown = phone.shown.open.find(({ id }) => id === row.id)
  const who = crew.find(
    ({ doing }) => 'task' in doing && doing.task.id === row.id && doing.what !== 'noticing',
  )
  const own = crew.filter(({ tablet }) => row.crew.split(' ').includes(tablet.crewMemberId))
  const called =
    row.level === 2
      ? 'calls the manager too'
      : row.level === 1 || own.length === 0
        ? 'calls all crew'
        : `calls ${own.map(({ name }) => firstOf(name)).join(', ')}`
  const isServed = who?.doing.what === 'serving'
  return {
    id: row.id,
    what: serviceTypeLabels[type],
    waitedMs: now - row.createdAt,
    heat: row.acceptedAt === null ? (now - row.createdAt) / targetResponseMs[type] : null,
    crew:
      row.acceptedAt === null
        ? called
        : `${firstOf(row.acceptedByName ?? 'Crew')} ${isServed ? 'is there' : 'is on the way'}`,
    guest: shown ? requestStatusWithCount(shown) : null,
  }
}

function showMember({ name, doing, isOnDuty, link }: CrewMember, index: number, evening: Evening): CrewView {
  const present = evening.crew.filter((each) => each.isOnDuty).length
  const numbers = evening.guests.map(({ phone }) => phone.tableNumber)
  return {
    name: firstOf(name),
    doing: isOnDuty ? describeDoing(doing) : 'not at work',
    tables: isOnDuty ? numbers.filter((_, at) => at % present === index).join(', ') : '',
    network: isOnDuty ? link.network : 'good',
    isBusy: isOnDuty && (doing.what === 'walking' || doing.what === 'serving'),
  }
}

function describeDoing(doing: CrewMember['doing']): string {
  switch (doing.what) {
    case 'off':
    case 'free':
      return 'free'
    case 'noticing':
      return `hears table ${doing.task.tableNumber}`
    case 'walking':
      return `walks to table ${doing.task.tableNumber}`
    case 'serving':
      return `serves table ${doing.task.tableNumber}: ${serviceTypeLabels[doing.task.serviceType]}`
    default:
      throw new Error(`Nobody does this: ${JSON.stringify(doing satisfies never)}`)
  }
}
