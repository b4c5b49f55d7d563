import { minuteMs } from '#contract/durations.ts'
import {
  type NewPause,
  type Opening,
  type OpeningHours,
  type OpeningHoursChange,
  type OpeningSpan,
  type RestaurantOpening,
} from '#contract/guests/opening.ts'
import { pauseReasonLabels } from '#contract/guests/pause-reasons.ts'
import {
  type Availability,
  type Pause,
  type ServiceType,
  serviceTypeLabels,
} from '#contract/requests/requests.ts'
import { ownText, textIn } from '#contract/texts/languages.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { NeedKey } from '../../storage/requests/asked-need.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { notFound, Refusal } from '../errors.ts'
import { changedMeanwhile, mergeChange } from '../merge-change.ts'
import { read, write } from '../transaction.ts'

/** As in `OpeningHours`. */
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

type OpeningOf = Pick<Restaurant, 'opening' | 'timeZone'>

const alwaysOpen: Opening = { hours: null, pauses: [] }

/** Without the pauses that have ended. */
function currentOpening({ opening }: Pick<Restaurant, 'opening'>, now: number): Opening {
  if (opening === null) return alwaysOpen
  const { hours, pauses }: Opening = JSON.parse(opening)
  return { hours, pauses: pauses.filter(({ until }) => until > now) }
}

export const hoursOf = (restaurant: Pick<Restaurant, 'opening'>): OpeningHours | null =>
  currentOpening(restaurant, 0).hours

export async function state(ctx: Ctx, actor: Actor): Promise<RestaurantOpening> {
  const { restaurantId } = authorizeInRestaurant(actor, 'opening.state')
  const restaurant = await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  return { ...currentOpening(restaurant, ctx.now()), timeZone: restaurant.timeZone }
}

/** Outside these hours guests are told when the restaurant opens; what they asked before stays open. */
export async function setHours(
  ctx: Ctx,
  actor: Actor,
  { hours: wanted, was }: OpeningHoursChange,
): Promise<RestaurantOpening> {
  const { restaurantId } = authorizeInRestaurant(actor, 'opening.setHours')
  return change(ctx, restaurantId, async (db, before) => {
    const hours = was === undefined ? wanted : mergeHours(before.hours, was, wanted)
    const days = hours && weekdays.map((day, index) => `${day}: ${describeDay(hours[index] ?? [])}`)
    await audit.record(ctx, db, actor, restaurantId, 'opening.setHours', { hours: days })
    return { ...before, hours }
  })
}

function mergeHours(
  now: OpeningHours | null,
  was: OpeningHours | null,
  wanted: OpeningHours | null,
): OpeningHours | null {
  if (!now || !was || !wanted) return mergeChange(now, was, wanted)
  const merged = wanted.map((spans, day) => mergeChange(now[day] ?? [], was[day] ?? [], spans))
  // One has taken the first of two days away, the other one the second.
  if (merged.every((spans) => spans.length === 0)) throw changedMeanwhile()
  return merged
}

const describeDay = (spans: OpeningSpan[]): string =>
  spans.length === 0 ? 'closed' : spans.map(({ from, to }) => `${from}–${to}`).join(', ')

/** Guests cannot ask for a need until the pause ends by itself, or somebody ends it. */
export async function pause(
  ctx: Ctx,
  actor: Actor,
  { serviceType, minutes, ...why }: NewPause,
): Promise<RestaurantOpening> {
  const { restaurantId } = authorizeInRestaurant(actor, 'opening.pause')
  return change(ctx, restaurantId, async (db, before) => {
    const until = ctx.now() + minutes * minuteMs
    const added: Pause = { serviceType, until, reason: why.reason, ...ownWords(why) }
    await audit.record(ctx, db, actor, restaurantId, 'opening.pause', {
      need: serviceTypeLabels[serviceType],
      until: new Date(until).toISOString(),
      reason: added.text ?? pauseReasonLabels[added.reason],
    })
    return { ...before, pauses: [...withoutPause(before, serviceType), added] }
  })
}

/** Servers and pages of the version before know only the text in the restaurant's own language. */
function ownWords({ reason, text, texts }: Omit<NewPause, 'serviceType' | 'minutes'>) {
  if (reason !== 'own') return { text: null }
  return texts ? { text: ownText(texts), texts } : { text: text ?? null }
}

export async function resume(
  ctx: Ctx,
  actor: Actor,
  { serviceType }: Pick<Pause, 'serviceType'>,
): Promise<RestaurantOpening> {
  const { restaurantId } = authorizeInRestaurant(actor, 'opening.resume')
  return change(ctx, restaurantId, async (db, before) => {
    const pauses = withoutPause(before, serviceType)
    if (pauses.length < before.pauses.length)
      await audit.record(ctx, db, actor, restaurantId, 'opening.resume', {
        need: serviceTypeLabels[serviceType],
      })
    return { ...before, pauses }
  })
}

const withoutPause = ({ pauses }: Opening, serviceType: ServiceType): Pause[] =>
  pauses.filter((each) => each.serviceType !== serviceType)

async function change(
  ctx: Ctx,
  restaurantId: string,
  apply: (db: Db, before: Opening) => Promise<Opening>,
): Promise<RestaurantOpening> {
  return write(ctx, async ({ db, announce }) => {
    const restaurant = await restaurants.lock(db, restaurantId)
    if (!restaurant) throw notFound('Restaurant')
    const after = await apply(db, currentOpening(restaurant, ctx.now()))
    const isUnused = after.hours === null && after.pauses.length === 0
    await restaurants.setOpening(db, restaurantId, isUnused ? null : JSON.stringify(after))
    announceOpening(announce, restaurantId)
    return { ...after, timeZone: restaurant.timeZone }
  })
}

/** When guests may ask has changed. Managers' screens alarm by it that nobody is listening. */
export function announceOpening(announce: Announce, restaurantId: string): void {
  announceAvailability(announce, restaurantId)
  announce({ kind: 'management', restaurantId }, { type: 'opening-changed' })
}

/** Guests' pages load again what they may ask for. */
export const announceAvailability = (announce: Announce, restaurantId: string): void =>
  announce({ kind: 'guests', restaurantId }, { type: 'table-changed' })

/** Between two instants at which it changes, so that taps and pages need not read the hours again. */
type Computed = { availability: Availability; from: number; until: number }
const computed = new Map<string, Computed>()
const maxComputed = 2_000

/** What a guest's page says before anybody taps. */
export function availabilityOf(restaurant: OpeningOf, now: number): Availability {
  if (restaurant.opening === null) return {}
  const key = `${restaurant.timeZone} ${restaurant.opening}`
  const known = computed.get(key)
  if (known && known.from <= now && now < known.until) return known.availability
  const current = computeAvailability(restaurant, now)
  computed.delete(key)
  const [oldest] = computed.keys()
  if (oldest !== undefined && computed.size >= maxComputed) computed.delete(oldest)
  computed.set(key, current)
  return current.availability
}

function computeAvailability(restaurant: OpeningOf, now: number): Computed {
  const { hours, pauses } = currentOpening(restaurant, now)
  const { timeZone } = restaurant
  const { opensAt, until } = hours
    ? findOpening(hours, timeZone, now)
    : { opensAt: null, until: Number.POSITIVE_INFINITY }
  return {
    availability: {
      ...(opensAt !== null && { closedUntil: opensAt }),
      ...(pauses.length > 0 && { pauses }),
      ...((opensAt !== null || pauses.length > 0) && { timeZone }),
    },
    from: now,
    until: Math.min(until, ...pauses.map((pause) => pause.until)),
  }
}

export function requireAvailable(restaurant: OpeningOf, needKey: NeedKey, now: number): void {
  const { timeZone } = restaurant
  const { closedUntil, pauses = [] } = availabilityOf(restaurant, now)
  const when = (until: number): string => formatWhen(until, timeZone, now)
  if (closedUntil !== undefined) {
    const message = `The restaurant is closed right now. It opens ${when(closedUntil)}.`
    throw new Refusal('closed', message, { params: { until: closedUntil, timeZone } })
  }
  const found = pauses.find((each) => each.serviceType === needKey)
  if (!found) return
  const { serviceType, until, reason, text, texts } = found
  const why = texts ? textIn(texts, 'en') : (text ?? pauseReasonLabels[reason])
  throw new Refusal(
    'need_paused',
    `${serviceTypeLabels[serviceType]} is paused: ${why}. Please ask again ${when(until)}.`,
    {
      params: {
        serviceType,
        until,
        timeZone,
        reason,
        ...(text !== null && { text }),
        ...(texts && { texts }),
      },
    },
  )
}

/**
 * When the restaurant opens next, null while it is open, and until when that is so. Clocks that change are taken into
 * account.
 */
export function findOpening(
  hours: OpeningHours,
  timeZone: string,
  now: number,
): { opensAt: number | null; until: number } {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  const at = (date: Temporal.PlainDate, plainTime: string): number =>
    date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds
  // From yesterday, whose last span may end today, to the same weekday of next week.
  const spans = Array.from({ length: weekdays.length + 2 }, (_, index) => {
    const date = today.add({ days: index - 1 })
    return (hours[date.dayOfWeek - 1] ?? []).map(({ from, to }) => ({
      opensAt: at(date, from),
      closesAt: at(to > from ? date : date.add({ days: 1 }), to),
    }))
  }).flat()
  const next = (times: number[]): number => Math.min(...times.filter((time) => time > now))
  const opensAt = next(spans.map((span) => span.opensAt))
  const isOpen = spans.some((span) => span.opensAt <= now && now < span.closesAt)
  if (!isOpen) return { opensAt, until: opensAt }
  return { opensAt: null, until: next(spans.map((span) => span.closesAt)) }
}

/** On the restaurant's clock: `at 19:30`, `on Tuesday at 11:30`, from next week on `on Tuesday 7 December at 11:30`. */
function formatWhen(until: number, timeZone: string, now: number): string {
  const [then, today] = [until, now].map((ms) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone),
  )
  if (!then || !today) return ''
  const time = `at ${then.toPlainTime().toString({ smallestUnit: 'minute' })}`
  const [date, days] = [then.toPlainDate(), today.toPlainDate().until(then.toPlainDate()).days]
  if (days === 0) return time
  if (days < weekdays.length) return `on ${weekdays[then.dayOfWeek - 1]} ${time}`
  return `on ${date.toLocaleString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })} ${time}`
}
