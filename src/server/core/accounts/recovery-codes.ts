import type { NewRecoveryCodes, RecoveryCodes } from '#contract/recovery.ts'
import type { Db } from '../../storage/engine/types.ts'
import { lockRestaurant } from '../../storage/floor.ts'
import * as recovery from '../../storage/recovery.ts'
import type { Subject } from '../../storage/recovery.ts'
import { type Actor, findGrant, requireGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { requireRecentIdentity } from './identity-confirmation.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { requireGrantStillValid } from './sessions.ts'

const codeCount = 10

/** Crockford's: no letter looks like a digit, and no word comes of it. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 80 random bits: XXXX-XXXX-XXXX-XXXX. */
function newCode(ctx: Ctx): string {
  const bytes = Buffer.from(ctx.secrets.newToken(), 'base64url').subarray(0, 16)
  const letters = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')
  return letters.replaceAll(/.{4}(?=.)/gu, '$&-')
}

/** However it was typed: without its spaces and dashes, and with what is read for another letter put right. */
const normalizeCode = (code: string): string =>
  code
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}._]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1')
    .replaceAll('U', 'V')

export const hashCode = (ctx: Ctx, code: string): string => ctx.secrets.digest(normalizeCode(code))

/** Inside `write`: true once for each code. */
export async function redeemRecoveryCode(ctx: Ctx, db: Db, subject: Subject, code: string): Promise<boolean> {
  return recovery.consumeCode(db, subject, hashCode(ctx, code))
}

/** The owner's, in a browser that is signed in as a manager too. */
function requireSubject(actor: Actor, restaurantId: string): Subject {
  const kind = findGrant(actor, 'owner') ? 'owner' : 'manager'
  return { restaurantId, kind, id: requireGrant(actor, kind).subjectId }
}

export async function getStatus(ctx: Ctx, actor: Actor): Promise<RecoveryCodes> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.codes')
  const codes = await recovery.listCodes(read(ctx), requireSubject(actor, restaurantId))
  return { left: codes.length, createdAt: codes[0]?.createdAt ?? null }
}

/** Ten new codes, answered this once. Those there were are void. */
export async function regenerateCodes(ctx: Ctx, actor: Actor): Promise<NewRecoveryCodes> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.renewCodes')
  await requireRecentIdentity(read(ctx), actor)
  const subject = requireSubject(actor, restaurantId)
  const codes = Array.from({ length: codeCount }, () => newCode(ctx))
  await write(ctx, async (db) => {
    await requireGrantStillValid(ctx, db, actor, 'recovery.renewCodes')
    // Renewed twice at once there must not be twice as many.
    await lockRestaurant(db, restaurantId)
    await recovery.removeCodes(db, subject)
    const hashes = codes.map((code) => hashCode(ctx, code))
    await recovery.insertCodes(db, subject, hashes, ctx.now())
    await audit.record(ctx, db, actor, restaurantId, 'recovery.renewCodes')
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: subject.kind, what: 'recovery codes' })
  return { codes }
}
