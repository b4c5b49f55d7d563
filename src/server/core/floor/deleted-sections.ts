import { type DeletedItem, deletionGraceMs, type RestoredSection } from '#contract/deleted-items.ts'
import { type Section, sectionLimits } from '#contract/floor/sections.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import * as sections from '../../storage/floor/sections.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { alreadyRestored, conflict, notFound, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged } from './floor-changes.ts'

const kind = 'section' as const
type Content = { section: Schema['section'] } & sections.Belonging

export async function deleted(ctx: Ctx, actor: Actor): Promise<DeletedItem[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.deleted')
  return deletedItems.list(read(ctx), { restaurantId, kind, after: ctx.now() - deletionGraceMs })
}

/** Its tables and crew stay, without a section. */
export async function remove(ctx: Ctx, actor: Actor, id: string): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.remove')
  await write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const belonging = await sections.listBelonging(db, restaurantId, id)
    const section = await sections.remove(db, restaurantId, id)
    if (!section) throw notFound('Section')
    const { name } = section
    const content: Content = { section, ...belonging }
    await deletedItems.insert(db, { restaurantId, kind, id, name, content, deletedAt: ctx.now() })
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'sections.remove', { name })
  })
}

/** With its place among the others, and with those of its tables and crew that are in no other section meanwhile. */
export async function restore(
  ctx: Ctx,
  actor: Actor,
  id: string,
  { name }: RestoredSection,
): Promise<Section> {
  const { restaurantId } = authorizeInRestaurant(actor, 'sections.restore')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const item = await deletedItems.take(db, { restaurantId, kind, id }, ctx.now() - deletionGraceMs)
    if (!item) throw (await sections.find(db, restaurantId, id)) ? alreadyRestored() : notFound('Section')
    if ((await sections.list(db, restaurantId)).length >= sectionLimits.sections)
      throw conflict(`A restaurant has at most ${sectionLimits.sections} sections`)
    const { section: before, tables, members }: Content = JSON.parse(item.content)
    const { nameKey: _, ...section } = { ...before, ...(name !== undefined && { name }) }
    const restored = await sections.insert(db, section)
    if (!restored) throw new Refusal('name_taken', 'This section already exists')
    await sections.returnBelonging(db, restaurantId, id, { tables, members })
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'sections.restore', { name: restored.name })
    return restored
  })
}
