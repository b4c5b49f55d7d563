import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'

/** The number of tables a device can move between; the visit opened first is dropped first. */
const maxVisits = 8

type Table = { restaurantId: string; tableKey: string }

/** A visit at a table, as stored in the device's cookie. */
export type SavedVisit = {
  startedAt: number
  /** The generation of the restaurant's codes when the device last had a valid one; null if it never had. */
  codeGeneration: number | null
}

/** The visit at this table from the device's cookie; undefined unless our signature is valid. */
export function readSavedVisit(ctx: Ctx, actor: Actor, table: Table): SavedVisit | undefined {
  return findOwnEntry(ctx, actor, table)?.visit
}

/** The cookie keeps when the visit began, so that looking at the page writes nothing to the database. */
export function saveVisit(ctx: Ctx, actor: Actor, table: Table, visit: SavedVisit): void {
  const own = findOwnEntry(ctx, actor, table)?.text
  const others = cookieEntries(actor).filter((text) => text !== own)
  actor.visits.toSet = [...others.slice(1 - maxVisits), signEntry(ctx, actor, table, visit)].join('~')
}

const cookieEntries = ({ visits: { sent, toSet } }: Actor): string[] =>
  (toSet ?? sent)?.split('~').slice(-maxVisits) ?? []

function findOwnEntry(ctx: Ctx, actor: Actor, table: Table): { text: string; visit: SavedVisit } | undefined {
  if (actor.guestId === null) return undefined
  for (const text of cookieEntries(actor)) {
    const visit = parseEntry(text)
    if (visit && ctx.secrets.equal(text, signEntry(ctx, actor, table, visit))) return { text, visit }
  }
  return undefined
}

function parseEntry(text: string): SavedVisit | undefined {
  const [startedAt = Number.NaN, codeGeneration = null] = (text.split('.')[0] ?? '')
    .split('-')
    .map((part) => Number.parseInt(part, 36))
  return startedAt >= 0 ? { startedAt, codeGeneration } : undefined
}

/** Reveals only the time and the code generation. The signature is valid only for this device and table. */
function signEntry(
  ctx: Ctx,
  { guestId }: Actor,
  { restaurantId, tableKey }: Table,
  { startedAt, codeGeneration }: SavedVisit,
): string {
  const start = startedAt.toString(36)
  const visit = codeGeneration === null ? start : `${start}-${codeGeneration.toString(36)}`
  const payload = JSON.stringify(['visit', guestId, restaurantId, tableKey, visit])
  return `${visit}.${ctx.secrets.sign(ctx.installationKey, payload)}`
}
