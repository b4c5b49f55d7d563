import type { PushAudience } from '#contract/push.ts'
import type { Db } from './engine/types.ts'
import type { GrantKind, Schema } from './schema.ts'

export type Device = Schema['pushSubscription']
export type KnownDevice = Pick<
  Device,
  'restaurantId' | 'id' | 'sessionId' | 'crewMemberId' | 'audience' | 'seenAt'
>

/** Which logins let a device be one of these. */
const grantsForAudience: Record<PushAudience, GrantKind[]> = {
  crew: ['device', 'crew', 'manager', 'owner'],
  manager: ['manager', 'owner'],
}

/** Devices whose login is still good. To be called one need not use it all the time, so it may have gone idle. */
const signedInSubscriptions = (db: Db, audience: PushAudience, now: number) =>
  db
    .selectFrom('pushSubscription')
    .where('audience', '=', audience)
    .where((e) =>
      e.exists(
        e
          .selectFrom('sessionGrant')
          .select('sessionId')
          .innerJoin('session', 'session.id', 'sessionGrant.sessionId')
          .whereRef('sessionGrant.sessionId', '=', 'pushSubscription.sessionId')
          .whereRef('sessionGrant.restaurantId', '=', 'session.restaurantId')
          .whereRef('sessionGrant.restaurantId', '=', 'pushSubscription.restaurantId')
          .where('kind', 'in', grantsForAudience[audience])
          .where('absoluteUntil', '>', now),
      ),
    )

/** An endpoint belongs to one device: whoever tells it last has it, wherever it was before. Gives its id back. */
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

export async function findRestaurantId(db: Db, endpoint: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('pushSubscription')
    .select('restaurantId')
    .where('endpoint', '=', endpoint)
    .executeTakeFirst()
  return row?.restaurantId
}

/** The ones looked at longest ago go. */
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

/** False when this session has no such device. */
export async function removeOwn(
  db: Db,
  restaurantId: string,
  id: string,
  sessionId: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('pushSubscription')
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('sessionId', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The push service says that it is no more. Not when the device has told a new one since. */
export async function removeGone(db: Db, { restaurantId, id, endpoint, p256dh }: Device): Promise<boolean> {
  const row = await db
    .deleteFrom('pushSubscription')
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('endpoint', '=', endpoint)
    .where('p256dh', '=', p256dh)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** It could not be reached: it does not count as listening until it is looked at again. False when it did not. */
export async function markUnreachable(db: Db, { restaurantId, id, seenAt }: Device): Promise<boolean> {
  const row = await db
    .updateTable('pushSubscription')
    .set({ seenAt: 0 })
    .where('restaurantId', '=', restaurantId)
    .where('id', '=', id)
    .where('seenAt', '=', seenAt)
    .where('seenAt', '>', 0)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Somebody left, or has a new PIN: nobody who only once chose this name goes on to read what is for them. */
export async function removeOfCrew(
  db: Db,
  restaurantId: string,
  crewMemberId: string,
  except: 'nobody' | 'own login',
): Promise<void> {
  let query = db
    .deleteFrom('pushSubscription')
    .where('restaurantId', '=', restaurantId)
    .where('crewMemberId', '=', crewMemberId)
  if (except === 'own login')
    query = query.where('sessionId', 'not in', (e) =>
      e
        .selectFrom('sessionGrant')
        .select('sessionId')
        .where('kind', '=', 'crew')
        .where('subjectId', '=', crewMemberId)
        .where('restaurantId', '=', restaurantId),
    )
  await query.execute()
}

/** Of one restaurant, or of all. */
export async function listKnown(db: Db, now: number, restaurantId?: string): Promise<KnownDevice[]> {
  const listOf = (audience: PushAudience) => {
    const query = signedInSubscriptions(db, audience, now).select([
      'restaurantId',
      'id',
      'sessionId',
      'crewMemberId',
      'audience',
      'seenAt',
    ])
    return (restaurantId === undefined ? query : query.where('restaurantId', '=', restaurantId)).execute()
  }
  return [...(await listOf('crew')), ...(await listOf('manager'))]
}

/** Of these crew members, or of all crew. */
export async function listForCrew(
  db: Db,
  restaurantId: string,
  now: number,
  crewMemberIds?: string[],
): Promise<Device[]> {
  const query = signedInSubscriptions(db, 'crew', now).selectAll().where('restaurantId', '=', restaurantId)
  if (crewMemberIds === undefined) return query.execute()
  if (crewMemberIds.length === 0) return []
  return query.where('crewMemberId', 'in', crewMemberIds).execute()
}

export async function listForManagers(db: Db, restaurantId: string, now: number): Promise<Device[]> {
  return signedInSubscriptions(db, 'manager', now)
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .execute()
}
