import type { NewRecoveryCodes, RecoveryCodes } from '#contract/accounts/recovery.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { read, write } from '../../transaction.ts'
import { requireGrantStillValid } from '../sessions/sessions.ts'
import { loadIdentity, requireRecentIdentity, toSubject } from '../sign-in/identity.ts'

const codeCount = 10

/** Crockford's Base32: no letters that look like digits, and no U, so that codes rarely spell words. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 80 random bits: XXXX-XXXX-XXXX-XXXX. */
function newCode(ctx: Ctx): string {
  const bytes = Buffer.from(ctx.secrets.newToken(), 'base64url').subarray(0, 16)
  const letters = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')
  return letters.replaceAll(/.{4}(?=.)/gu, '$&-')
}

/** Drops spaces and dashes, and corrects letters that were misread. */
const normalizeCode = (code: string): string =>
  code
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}._]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1')
    .replaceAll('U', 'V')

export const hashCode = (ctx: Ctx, code: string): string => ctx.secrets.digest(normalizeCode(code))

/** Call inside `write`. True once for each code. */
export async function redeemRecoveryCode(ctx: Ctx, db: Db, subject: Subject, code: string): Promise<boolean> {
  return recovery.consumeCode(db, subject, hashCode(ctx, code))
}

export async function codes(ctx: Ctx, actor: Actor): Promise<RecoveryCodes> {
  authorizeInRestaurant(actor, 'recovery.codes')
  const identity = await loadIdentity(read(ctx), actor)
  const unused = await recovery.listCodes(read(ctx), toSubject(identity))
  return { left: unused.length, createdAt: unused[0]?.createdAt ?? null }
}

/** Replaces all codes by ten new ones, which are shown only this once. */
export async function renewCodes(ctx: Ctx, actor: Actor): Promise<NewRecoveryCodes> {
  const { restaurantId } = authorizeInRestaurant(actor, 'recovery.renewCodes')
  const subject = toSubject(await requireRecentIdentity(read(ctx), actor))
  const codes = Array.from({ length: codeCount }, () => newCode(ctx))
  await write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'recovery.renewCodes')
    // Two renewals at once must not leave twenty codes.
    await restaurants.lock(db, subject.restaurantId)
    await recovery.removeCodes(db, subject)
    const hashes = codes.map((code) => hashCode(ctx, code))
    await recovery.insertCodes(db, subject, hashes, ctx.now())
    await audit.record(ctx, db, actor, restaurantId, 'recovery.renewCodes')
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: subject.kind, what: 'recovery codes' })
  return { codes }
}
