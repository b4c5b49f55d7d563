import type { GuestCardView } from '#contract/guests/guest-card.ts'
import type { TableRef } from '#contract/requests/requests.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { renderSvg } from '../floor/qr-image.ts'
import { parseCard } from './guest-card.ts'
import { hoursOf } from './opening.ts'
import { openVisit } from './visits.ts'

/** The Wi-Fi is for those who have proved that they are at a table, as they would to send a request. */
export async function openGuestCard(ctx: Ctx, actor: Actor, table: TableRef): Promise<GuestCardView> {
  const { restaurant, seat, expired, verified } = await openVisit(ctx, actor, table)
  const { menu, pay, wifiName: name, wifiPassword: password } = parseCard(restaurant)
  const shownWifi =
    verified && !expired ? { name, password, qrCode: renderSvg(wifiCode(name, password)) } : 'locked'
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.now()).toZonedDateTimeISO(restaurant.timeZone)
  return {
    restaurantName: restaurant.name,
    tableNumber: seat.tableNumber,
    menu,
    pay,
    wifi: name === '' ? null : shownWifi,
    hours: hoursOf(restaurant),
    today: now.dayOfWeek - 1,
  }
}

/** What phones read from a code to join a Wi-Fi. */
export function wifiCode(name: string, password: string): string {
  const escape = (text: string): string => text.replaceAll(/[\\;,":]/gu, String.raw`\$&`)
  const secret = password === '' ? '' : `P:${escape(password)};`
  return `WIFI:T:${password === '' ? 'nopass' : 'WPA'};S:${escape(name)};${secret};`
}
