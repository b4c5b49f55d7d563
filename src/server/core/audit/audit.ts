import type { AuditAction, AuditDetail } from '#contract/audit.ts'
import * as managers from '../../storage/accounts/managers.ts'
import * as owners from '../../storage/accounts/owners.ts'
import * as audit from '../../storage/audit/audit.ts'
import type { Db } from '../../storage/engine/types.ts'
import { type Actor, findGrant } from '../actor.ts'
import type { Ctx } from '../ctx.ts'

/**
 * Records a change in the restaurant's audit log. Call inside the transaction that makes the change, so that neither
 * exists without the other. `detail` never holds a password, PIN, code or key.
 */
export async function record(
  ctx: Pick<Ctx, 'newId' | 'now'>,
  db: Db,
  actor: Actor,
  restaurantId: string,
  action: AuditAction,
  detail: AuditDetail = {},
): Promise<void> {
  await audit.append(db, {
    restaurantId,
    id: ctx.newId(),
    at: ctx.now(),
    ...(await auditAuthor(db, actor, restaurantId)),
    action,
    detail: JSON.stringify(detail),
  })
}

type AuditAuthor = Pick<audit.AuditEntry, 'actorKind' | 'actorId' | 'actorName'>

/** Attributed to the strongest of the actor's logins. */
async function auditAuthor(db: Db, actor: Actor, restaurantId: string): Promise<AuditAuthor> {
  const { crewMember } = actor
  const owner = findGrant(actor, 'owner')
  if (owner) {
    const row = await owners.findById(db, owner.subjectId)
    return { actorKind: 'owner', actorId: owner.subjectId, actorName: row?.email ?? 'Owner' }
  }
  const manager = findGrant(actor, 'manager')
  if (manager) {
    const found = await managers.find(db, restaurantId, manager.subjectId)
    return { actorKind: 'manager', actorId: manager.subjectId, actorName: found?.username ?? 'Manager' }
  }
  if (crewMember) return { actorKind: 'crew', actorId: crewMember.id, actorName: crewMember.name }
  return findGrant(actor, 'device')
    ? { actorKind: 'device', actorId: null, actorName: 'Crew' }
    : { actorKind: 'system', actorId: null, actorName: 'Tableside' }
}
