import type { Schema } from '../../src/server/storage/schema.ts'
import type { PushDevice, ReceivedPush } from '../push-service.ts'
import type { Breach, Checker, Evidence } from './evidence.ts'
import { isRepeated } from './parties.ts'

/** Managers are alerted within it when nobody hears a request: 8 seconds for a screen to come back, and what follows. */
const alarmMs = 15_000

const tagOf = (id: string): string => `request-${id}`
const alarmTag = 'nobody-listens'

/**
 * Each push goes once to who should have it, none to a device that was signed out, and none about another restaurant. A
 * device shows what waits for whoever has it in hand, and of what somebody is on the way to only that it is theirs.
 */
export const pushes: Checker = (evidence) => {
  const { restaurant } = evidence
  const crew = restaurant.tablets.flatMap(({ alerts }) => alerts ?? [])
  const managers = restaurant.manager ? [restaurant.manager] : []
  const all = [...crew, ...managers]
  return [
    ...all.flatMap((device) => [...findStrangers(evidence, device), ...findRepeats(evidence, device)]),
    ...all.flatMap((device) => compareShown(evidence, device)),
    ...managers.flatMap((device) => findMissingAlarm(evidence, device)),
  ].map(({ about, problem }) => ({ about, problem: `a push ${problem}` }))
}

function findStrangers({ requests }: Evidence, { endpoint, received }: PushDevice): Breach[] {
  const known = new Set([...requests.map(({ id }) => tagOf(id)), alarmTag])
  return received.flatMap(({ payload: { notification }, wasEntitled }) => {
    const about = notification.tag
    if (!wasEntitled)
      return [{ about, problem: `"${notification.body}" reached ${endpoint}, which was signed out` }]
    return known.has(about)
      ? []
      : [{ about, problem: `about ${about} of another restaurant reached ${endpoint}` }]
  })
}

/** What makes a device that shows a request alert again. */
const reasons = new Set<Schema['requestEvent']['kind']>([
  'escalated',
  'still_waiting',
  'released',
  'handed_over',
  'reopened',
  'moved',
])

/** Also that it goes on for another request, which may be more urgent. */
const isReason = ({ id, kind }: Schema['requestEvent']): boolean =>
  reasons.has(kind) || (kind === 'asked' && isRepeated(id))

function findRepeats(
  { restaurant, requests, eventsOf }: Evidence,
  { endpoint, received }: PushDevice,
): Breach[] {
  const ids = new Map(requests.map(({ id }) => [tagOf(id), id]))
  const alerts = received.filter(({ payload }) => !payload.tableside.withdraw)
  return [...Map.groupBy(alerts, ({ payload }) => payload.notification.tag)].flatMap(([tag, same]) => {
    const urgent = same.filter(({ payload }) => payload.tableside.urgent).length
    const events = eventsOf(ids.get(tag) ?? '')
    const steps = events.filter(isReason)
    const allowed = 1 + steps.length
    if (tag !== alarmTag && urgent > allowed + restaurant.world.server.kills)
      return [{ about: tag, problem: `about ${tag} reached ${endpoint} ${urgent} times` }]
    // What failed for one step may be sent again at the moment of the next one, which says the same.
    const isOfTwoSteps = ({ sentAt }: ReceivedPush) =>
      same.length <= allowed && steps.some(({ at }) => at === sentAt)
    return same.some((push, index) => isSame(push, same[index + 1]) && !isOfTwoSteps(push))
      ? [{ about: tag, problem: `about ${tag} reached ${endpoint} twice at once` }]
      : []
  })
}

const isSame = (push: ReceivedPush, next: ReceivedPush | undefined): boolean =>
  push.sentAt === next?.sentAt && JSON.stringify(push.payload) === JSON.stringify(next.payload)

function compareShown(
  { restaurant: { world }, requests, eventsOf, unsent }: Evidence,
  device: PushDevice,
): Breach[] {
  const { endpoint, audience, crewMemberId, subscribedAt, shown } = device
  if (subscribedAt === null || world.push.isLost) return []
  const waiting = new Set(unsent.map(({ tag }) => tag))
  return requests.flatMap((row) => {
    if (waiting.has(tagOf(row.id))) return []
    const events = eventsOf(row.id)
    const breach = (problem: string) => [{ about: row.id, problem: `about ${row.id} ${problem}` }]
    const push = shown.get(tagOf(row.id))
    const isShown = push !== undefined
    if (row.closedAt !== null)
      return isShown ? breach(`is still shown by ${endpoint}, although it is closed`) : []
    if (row.acceptedAt !== null) {
      const isReminded = events.some(({ kind }) => kind === 'still_waiting')
      const isOwn = row.acceptedBy !== null && row.acceptedBy === crewMemberId
      return isShown && !isReminded && !isOwn
        ? breach(`is still shown by ${endpoint}, although it is accepted`)
        : []
    }
    if (push?.payload.tableside.request?.state === 'accepted')
      return breach(`is still shown by ${endpoint} as its own, although it waits again`)
    // Whoever undid a completion is looking at it.
    if (events.some(({ kind }) => kind === 'reopened')) return []
    const levelAt = Math.max(...events.flatMap(({ kind, at }) => (isAlert(kind) ? at : [])))
    const isAlerted = row.level === 2 || (row.level === 1 && audience === 'crew')
    return isAlerted && !isShown && subscribedAt < levelAt
      ? breach(`at level ${row.level} has not reached ${endpoint}`)
      : []
  })
}

const isAlert = (kind: Schema['requestEvent']['kind']): boolean =>
  kind === 'created' || kind === 'escalated' || kind === 'released' || kind === 'still_waiting'

/** When a guest waits and nobody can hear it, the manager's phone says so. */
function findMissingAlarm(
  { restaurant: { listeners, world }, requests, unsent, now }: Evidence,
  { endpoint, subscribedAt, shown }: PushDevice,
): Breach[] {
  const openSince = Math.min(
    ...requests.flatMap(({ closedAt, createdAt }) => (closedAt === null ? createdAt : [])),
  )
  const { startedAt, countsAt } = world.server
  const since = Math.max(listeners.since, startedAt, countsAt, openSince, subscribedAt ?? Infinity)
  // Whoever opened the page again once the push service was back has read it there.
  if (world.push.isLost || Math.max(listeners.since, openSince) <= world.push.regainedAt) return []
  const isDue = !listeners.someone && now - since > alarmMs && !unsent.some(({ tag }) => tag === alarmTag)
  return isDue && !shown.has(alarmTag)
    ? [{ about: alarmTag, problem: `that nobody listens has not reached ${endpoint}` }]
    : []
}
