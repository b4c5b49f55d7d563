import type { PushAudience } from '#contract/push.ts'
import type { Db } from './engine/types.ts'
import { hasRow } from './rows.ts'
import type { GrantKind, Schema } from './schema.ts'

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

export async function findRestaurantId(db: Db, endpoint: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('pushSubscription')
    .select('restaurantId')
    .where('endpoint', '=', endpoint)
    .executeTakeFirst()
  return row?.restaurantId
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
export async function listKnown(db: Db, now: number, restaurantId?: string): Promise<KnownDevice[]> {
  const listAudience = (audience: PushAudience) => {
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
  return [...(await listAudience('crew')), ...(await listAudience('manager'))]
}

/** The devices of these crew members, or of all crew. */
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
