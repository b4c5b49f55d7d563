import { firstSteps, type FirstStep, type FirstSteps } from '#contract/accounts/first-steps.ts'
import * as storage from '../../storage/accounts/first-steps.ts'
import * as crew from '../../storage/crew/crew.ts'
import * as qrCodes from '../../storage/floor/qr-codes.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { isActive } from '../billing/billing.ts'
import { compareNames } from '../collation.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'
import { localToday } from './restaurants/restaurants.ts'

/** How far a new restaurant has come. */
export async function list(ctx: Ctx, actor: Actor): Promise<FirstSteps> {
  const { restaurantId } = authorizeInRestaurant(actor, 'firstSteps.list')
  const db = read(ctx)
  if (await storage.isFinished(db, restaurantId)) return { steps: null }
  const day = await localToday(ctx, db, actor)
  const tables = await storage.countTables(db, restaurantId)
  const members = await crew.count(db, restaurantId)
  const assigned = await storage.listAssigned(db, restaurantId, day)
  const isDone: Record<FirstStep, boolean> = {
    tables: tables > 0,
    crew: members > 0,
    assignments: assigned.length > 0,
    plan: await isActive(ctx, db, restaurantId),
    codes: (await qrCodes.find(db, restaurantId)) !== undefined,
    request: await storage.hasAnswered(db, restaurantId),
  }
  const [table = await storage.findTable(db, restaurantId)] = assigned.toSorted(compareNames)
  return {
    steps: {
      done: firstSteps.filter((step) => isDone[step]),
      tables,
      crew: members,
      assigned: assigned.length,
      day,
      table: table ?? null,
    },
  }
}

/** Once is enough: what is undone later, such as tomorrow's assignments, is not a first step. */
export async function finish(ctx: Ctx, actor: Actor): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'firstSteps.finish')
  await write(ctx, ({ db }) => storage.finish(db, restaurantId, ctx.now()))
}
