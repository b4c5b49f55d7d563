import { nameKey } from '#contract/primitives.ts'
import * as managers from '../../../storage/accounts/managers.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { invalidCredentials } from '../../errors.ts'

/**
 * What attempts to sign in are counted for. `key` is made of ids, so it is the same whatever form or spelling led to
 * the account. `secret` is the stored password hash; null when there is none. `isNamed`: by the name of a restaurant
 * that exists, which anybody can find out. Where a name is private, nothing may depend on whether it exists.
 */
export type Account = { key: string; secret: string | null; isNamed?: boolean }

export const ownerAccount = ({ id, passwordHash }: Pick<owners.Owner, 'id' | 'passwordHash'>): Account => ({
  key: `owner ${id}`,
  secret: passwordHash,
})

type ManagerLogin = { restaurantId: string; username: string; passwordHash: string | null }

export const managerAccount = ({ restaurantId, username, passwordHash }: ManagerLogin): Account => ({
  key: `manager ${restaurantId} ${nameKey(username)}`,
  secret: passwordHash,
})

/** Unknown names are limited as accounts are, so that nobody can tell the two apart. */
export const unknownAccount = (name: string): Account => ({ key: `unknown ${nameKey(name)}`, secret: null })

export async function findAccount(
  db: Db,
  { restaurantId, kind, id }: Subject,
  { lock = false } = {},
): Promise<Account | undefined> {
  if (kind === 'owner') {
    const owner = await (lock ? owners.lock : owners.findById)(db, id)
    return owner?.restaurantId === restaurantId ? ownerAccount(owner) : undefined
  }
  const manager = await (lock ? managers.lock : managers.find)(db, restaurantId, id)
  return manager && managerAccount(manager)
}

/** Locked until the transaction ends; undefined when it was removed. */
export const lockAccount = (db: Db, subject: Subject): Promise<Account | undefined> =>
  findAccount(db, subject, { lock: true })

/** The owner of the restaurant with this name first, then everybody with this e-mail address. */
export async function findOwners(db: Db, nameOrEmail: string): Promise<owners.Owner[]> {
  // Also of a restaurant that its owner has deleted, and may restore.
  const restaurantId = await restaurants.findIdByName(db, nameOrEmail)
  const named = restaurantId === undefined ? undefined : await owners.findByRestaurant(db, restaurantId)
  const byEmail = await owners.findByEmail(db, nameOrEmail)
  return named ? [named, ...byEmail.filter(({ id }) => id !== named.id)] : byEmail
}

/** Refuses when the password was changed while it was being checked. */
export async function lockOwner(db: Db, { id, passwordHash }: owners.Owner): Promise<owners.Owner> {
  const owner = await owners.lock(db, id)
  if (!owner || owner.passwordHash !== passwordHash) throw invalidCredentials()
  return owner
}
