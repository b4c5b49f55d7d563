import * as managers from '../../../storage/accounts/managers.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, findGrant, type Grant } from '../../actor.ts'
import { requireGrant } from '../../authorize.ts'
import { recentSignInRequired, unauthenticated } from '../../errors.ts'
import { type Account, managerAccount, ownerAccount } from './login-accounts.ts'

/** The owner or manager behind the strongest login of this browser. */
export type Identity = {
  kind: Subject['kind']
  id: string
  /** The restaurant with which their passkeys and codes are stored. Empty for an owner before onboarding. */
  home: string
  name: string
  grant: Grant
  login: Account
  hasProvider: boolean
}

export async function loadIdentity(db: Db, actor: Actor): Promise<Identity> {
  const ownerGrant = findGrant(actor, 'owner')
  if (ownerGrant) {
    const owner = await requireOwner(db, actor)
    const { id, email: name, oidcSubject } = owner
    const home = owner.restaurantId ?? ''
    const hasProvider = oidcSubject !== null
    return { kind: 'owner', id, home, name, grant: ownerGrant, login: ownerAccount(owner), hasProvider }
  }
  const grant = findGrant(actor, 'manager')
  const manager =
    grant && actor.restaurantId !== null
      ? await managers.find(db, actor.restaurantId, grant.subjectId)
      : undefined
  if (!grant || !manager) throw unauthenticated()
  const { id, restaurantId: home, username: name } = manager
  return { kind: 'manager', id, home, name, grant, login: managerAccount(manager), hasProvider: false }
}

/** The owner whose login this is. */
export async function requireOwner(db: Db, actor: Actor): Promise<owners.Owner> {
  const owner = await owners.findById(db, requireGrant(actor, 'owner').subjectId)
  if (!owner) throw unauthenticated()
  return owner
}

/** Another recent login of the same browser is not enough to change how this person signs in. */
export async function requireRecentIdentity(db: Db, actor: Actor): Promise<Identity> {
  const identity = await loadIdentity(db, actor)
  if (!identity.grant.recent) throw recentSignInRequired()
  return identity
}

export const toSubject = ({ kind, id, home }: Identity): Subject => ({ restaurantId: home, kind, id })
