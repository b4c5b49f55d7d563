import type { RestaurantSetup } from '#contract/accounts/account-forms.ts'
import {
  maxOwnRestaurants,
  type OwnRestaurant,
  type RestaurantGlance,
} from '#contract/accounts/own-restaurants.ts'
import type { SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { Actor } from '../../actor.ts'
import * as analytics from '../../analytics/analytics.ts'
import * as audit from '../../audit/audit.ts'
import { authorize, authorizeInRestaurant, requireGrant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { requireGrantStillValid, type SignedIn, switchRestaurant } from '../sessions/sessions.ts'
import { createRestaurant } from './restaurant-creation.ts'
import { consumeNewNameLimits, nameTakenBy, refuseReserved } from './restaurant-names.ts'
import { restaurantOf } from './restaurants.ts'

const toOwnRestaurant = (
  { id, name, endsAs }: memberships.OwnedRestaurant,
  { restaurantId }: Actor,
): OwnRestaurant => ({
  id,
  restaurantName: name,
  isCurrent: id === restaurantId,
  isDeleted: endsAs === 'deleted',
})

export async function list(ctx: Ctx, actor: Actor): Promise<OwnRestaurant[]> {
  authorize(actor, 'ownRestaurants.list')
  const owned = await memberships.list(read(ctx), requireGrant(actor, 'owner').subjectId)
  return owned.map((each) => toOwnRestaurant(each, actor))
}

/** Another restaurant of the same account: one password, one e-mail address, a subscription of its own. */
export async function add(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone = 'UTC' }: RestaurantSetup,
): Promise<OwnRestaurant> {
  const { restaurantId: present } = authorizeInRestaurant(actor, 'ownRestaurants.add')
  const { subjectId: ownerId } = requireGrant(actor, 'owner')
  refuseReserved(restaurantName)
  if (await restaurants.findByName(read(ctx), restaurantName))
    throw await nameTakenBy(read(ctx), restaurantName)
  await consumeNewNameLimits(ctx, actor)
  return write(ctx, async ({ db }) => {
    // Two at once are counted one after the other.
    await owners.lock(db, ownerId)
    await requireGrantStillValid(ctx, db, actor, 'ownRestaurants.add')
    const owned = await memberships.list(db, ownerId)
    if (owned.length >= maxOwnRestaurants)
      throw conflict(`An account has ${maxOwnRestaurants} restaurants at most`)
    if (owned.some(({ endsAs }) => endsAs === 'trial'))
      throw conflict('This demo ends soon. Please sign up to have restaurants of your own.')
    const id = await createRestaurant(ctx, db, restaurantName, timeZone)
    await memberships.insert(db, { ownerId, restaurantId: id, addedAt: ctx.now() })
    for (const restaurantId of [present, id])
      await audit.record(ctx, db, actor, restaurantId, 'ownRestaurants.add', { name: restaurantName })
    return toOwnRestaurant({ id, name: restaurantName, endsAs: null }, actor)
  })
}

/** Asked of one restaurant, and authorized there, whichever the browser is signed in to. */
export async function glance(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<RestaurantGlance> {
  authorize(actor, 'ownRestaurants.glance')
  const there = await ownerIn(read(ctx), actor, id)
  const { restaurantId } = authorizeInRestaurant(there, 'ownRestaurants.glance')
  const open = await requests.listOpen(read(ctx), restaurantId)
  const waiting = open.filter(({ acceptedAt }) => acceptedAt === null)
  const { requestsToday } = await analytics.overview(ctx, there)
  return {
    waiting: waiting.length,
    waitingSince: waiting[0]?.createdAt ?? null,
    listening: ctx.presence(restaurantId).listening,
    requestsToday,
  }
}

/** The same owner in another of their restaurants, for a question: with no other login, and with none that is recent. */
async function ownerIn(db: Db, actor: Actor, id: string): Promise<Actor> {
  const grant = requireGrant(actor, 'owner')
  await requireOwned(db, grant.subjectId, id)
  const there = { ...grant, restaurantId: id, recent: false }
  return { ...actor, restaurantId: id, grants: new Map([['owner', there]]), crewMember: null }
}

async function requireOwned(db: Db, ownerId: string, id: string): Promise<void> {
  if (!(await memberships.owns(db, ownerId, id))) throw notFound('Restaurant')
}

export async function switchTo(
  ctx: Ctx,
  actor: Actor,
  { id }: { id: string },
): Promise<SignedIn<SignedInRestaurant>> {
  const { restaurantId: present } = authorizeInRestaurant(actor, 'ownRestaurants.switchTo')
  const { subjectId: ownerId } = requireGrant(actor, 'owner')
  return write(ctx, async (tx) => {
    // Whatever ends the owner's logins everywhere ends the new one too.
    await owners.lock(tx.db, ownerId)
    await requireOwned(tx.db, ownerId, id)
    if (id === present) throw conflict('You are in this restaurant already')
    const [from, to] = [await restaurantOf(tx.db, actor), await restaurants.findById(tx.db, id)]
    if (!to) throw notFound('Restaurant')
    await audit.record(ctx, tx.db, actor, present, 'ownRestaurants.leave', { to: to.name })
    await audit.record(ctx, tx.db, actor, id, 'ownRestaurants.enter', { from: from.name })
    const cookie = await switchRestaurant(ctx, tx, actor, id)
    return { cookie, reply: { restaurantName: to.name } }
  })
}
