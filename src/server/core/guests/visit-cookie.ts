import type { Actor } from '../actor.ts'
import type { Ctx } from '../ports.ts'

/** How many tables a device may go back and forth between; the one opened first is forgotten first. */
const maxVisits = 8

type Table = { restaurantId: string; tableKey: string }

/** What a device keeps of its visit at a table. */
export type SavedVisit = {
  startedAt: number
  /** Of the restaurant's codes, when the device last had a valid one there. */
  codeGeneration: number | null
}

/** What this device says itself about its visit at this table; undefined where our signature does not prove it. */
export function readSavedVisit(ctx: Ctx, actor: Actor, table: Table): SavedVisit | undefined {
  return findOwnEntry(ctx, actor, table)?.visit
}

/** The device keeps when its visit began, so that nothing has to be written for who only looks. */
export function saveVisit(ctx: Ctx, actor: Actor, table: Table, visit: SavedVisit): void {
  const own = findOwnEntry(ctx, actor, table)?.text
  const others = cookieEntries(actor).filter((text) => text !== own)
  actor.visits.cookie = [...others.slice(1 - maxVisits), signEntry(ctx, actor, table, visit)].join('~')
}

const cookieEntries = ({ visits }: Actor): string[] => visits.cookie?.split('~').slice(-maxVisits) ?? []

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

/** Says no more than when, and by which codes, to whoever reads it, and is worth nothing on another device. */
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
