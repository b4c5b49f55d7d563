import { sql } from 'kysely'
import type { PushAudience } from '#contract/push.ts'
import type { Db } from '../engine/types.ts'
import { sameRestaurant } from '../requests/requests.ts'
import { hasRow } from '../rows.ts'
import type { GrantKind, Schema } from '../schema.ts'

export type Device = Schema['pushSubscription']
export type KnownDevice = Pick<
  Device,
  'restaurantId' | 'id' | 'sessionId' | 'crewMemberId' | 'audience' | 'seenAt'
>

/** Which logins entitle a device to the notifications of an audience. */
const grantsForAudience: Record<PushAudience, GrantKind[]> = {
  crew: ['device', 'crew', 'manager', 'owner'],
  manager: ['manager', 'owner'],
}

/** Devices whose login has not ended. It may have gone idle: nobody uses a device while waiting for notifications. */
export const signedInSubscriptions = (db: Db, audience: PushAudience, now: number) =>
  db
    .selectFrom('pushSubscription')
    .where('pushSubscription.audience', '=', audience)
    .where((e) =>
      e.exists(
        e
          .selectFrom('sessionGrant')
          .select('sessionId')
          .innerJoin('session', 'session.id', 'sessionGrant.sessionId')
          .whereRef('sessionGrant.sessionId', '=', 'pushSubscription.sessionId')
          .whereRef('sessionGrant.restaurantId', sameRestaurant, 'session.restaurantId')
          .whereRef('sessionGrant.restaurantId', '=', 'pushSubscription.restaurantId')
          .where('kind', 'in', grantsForAudience[audience])
          // Not by the index of all grants, nor as a join, which would begin with them.
          .where((e) => e(e('absoluteUntil', '-', now), '>', e.lit(0)))
          .limit(sql.lit(1))
          .offset(sql.lit(0)),
      ),
    )

/** An endpoint belongs to one device, so this replaces any earlier subscription with it. Returns the row's id. */
export async function put(db: Db, device: Device): Promise<string> {
  const { restaurantId, sessionId, crewMemberId, p256dh, auth, audience, seenAt } = device
  const row = await db
    .insertInto('pushSubscription')
    .values(device)
    .onConflict((c) =>
      c
        .column('endpoint')
        .doUpdateSet({ restaurantId, sessionId, crewMemberId, p256dh, auth, audience, seenAt }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Who has the device with this endpoint. */
export async function findHolder(
  db: Db,
  endpoint: string,
): Promise<Pick<Device, 'restaurantId' | 'id' | 'crewMemberId' | 'audience'> | undefined> {
  return db
    .selectFrom('pushSubscription')
    .select(['restaurantId', 'id', 'crewMemberId', 'audience'])
    .where('endpoint', '=', endpoint)
    .executeTakeFirst()
}

/** Removes the devices seen longest ago. */
export async function keepLatest(
  db: Db,
  owner: { restaurantId: string } | { sessionId: string },
  limit: number,
): Promise<void> {
  const [column, value] =
    'sessionId' in owner
      ? (['sessionId', owner.sessionId] as const)
      : (['restaurantId', owner.restaurantId] as const)
  await db
    .deleteFrom('pushSubscription')
    .where(column, '=', value)
    .where('id', 'not in', (e) =>
      e
        .selectFrom('pushSubscription')
        .select('id')
        .where(column, '=', value)
        .orderBy('seenAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    .execute()
}

export async function findOwn(
  db: Db,
  restaurantId: string,
  endpoint: string,
  sessionId: string,
): Promise<Device | undefined> {
  return db
    .selectFrom('pushSubscription')
    .selectAll()
    .where((e) => e.and({ restaurantId, endpoint, sessionId }))
    .executeTakeFirst()
}

/** False if this session has no such device. */
export async function removeOwn(
  db: Db,
  restaurantId: string,
  id: string,
  sessionId: string,
): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('pushSubscription')
      .where((e) => e.and({ restaurantId, id, sessionId }))
      .returning('id'),
  )
}

/** Removes a device that the push service no longer knows, unless it has subscribed anew since. */
export async function removeGone(db: Db, { restaurantId, id, endpoint, p256dh }: Device): Promise<boolean> {
  return hasRow(
    db
      .deleteFrom('pushSubscription')
      .where((e) => e.and({ restaurantId, id, endpoint, p256dh }))
      .returning('id'),
  )
}

/** The device does not count as listening until it is seen again. False if it already did not. */
export async function markUnreachable(db: Db, { restaurantId, id, seenAt }: Device): Promise<boolean> {
  return hasRow(
    db
      .updateTable('pushSubscription')
      .set({ seenAt: 0 })
      .where((e) => e.and({ restaurantId, id, seenAt }))
      .where('seenAt', '>', 0)
      .returning('id'),
  )
}

/** For a crew member who left or has a new PIN: whoever only chose this name on a device stops receiving its notifications. */
export async function removeOfCrew(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  except: 'nobody' | 'own login',
): Promise<void> {
  let query = db.deleteFrom('pushSubscription').where((e) => e.and({ restaurantId, crewMemberId }))
  if (except === 'own login')
    query = query.where('sessionId', 'not in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where((e) => e.and({ kind: 'crew', subjectId: crewMemberId, restaurantId })),
    )
  await query.execute()
}

/** Devices whose login has not ended, of one restaurant or of all. */
export const listKnown = (db: Db, now: number, restaurantId: string): Promise<KnownDevice[]> =>
  listKnownOf(db, now, (query) => query.where('restaurantId', '=', restaurantId))

/** The devices of the next restaurants after one, about `limit`. `last` is null at the end. */
export async function listKnownAfter(
  db: Db,
  now: number,
  { after, limit }: { after: string; limit: number },
): Promise<{ devices: KnownDevice[]; last: string | null }> {
  const end = await db
    .selectFrom('pushSubscription')
    .select('restaurantId')
    .where('restaurantId', '>', after)
    .orderBy('restaurantId')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  const devices = await listKnownOf(db, now, (query) => {
    const next = query.where('restaurantId', '>', after)
    return end ? next.where('restaurantId', '<=', end.restaurantId) : next
  })
  return { devices, last: end?.restaurantId ?? null }
}

type SignedIn = ReturnType<typeof signedInSubscriptions>

async function listKnownOf(
  db: Db,
  now: number,
  inRestaurants: (query: SignedIn) => SignedIn,
): Promise<KnownDevice[]> {
  const listAudience = (audience: PushAudience) =>
    inRestaurants(signedInSubscriptions(db, audience, now))
      .select(['restaurantId', 'id', 'sessionId', 'crewMemberId', 'audience', 'seenAt'])
      .execute()
  return [...(await listAudience('crew')), ...(await listAudience('manager'))]
}

/** The devices of these crew members, or of all crew; on request also those on which nobody chose a name. */
export async function listForCrew(
  db: Db,
  restaurantId: string,
  now: number,
  crewMemberIds?: string[],
  { unnamed = false } = {},
): Promise<Device[]> {
  const query = signedInSubscriptions(db, 'crew', now).selectAll().where('restaurantId', '=', restaurantId)
  if (crewMemberIds === undefined) return query.execute()
  const named =
    crewMemberIds.length === 0 ? [] : await query.where('crewMemberId', 'in', crewMemberIds).execute()
  return unnamed ? [...named, ...(await query.where('crewMemberId', 'is', null).execute())] : named
}

export async function listForManagers(db: Db, restaurantId: string, now: number): Promise<Device[]> {
  return signedInSubscriptions(db, 'manager', now)
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .execute()
}
