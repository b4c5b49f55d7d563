import type { LimitName } from '../../ports/limits.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import { requireGrantStillValid, pinUnlockMs } from '../accounts/sessions/sessions.ts'
import { queueKeyOf } from '../accounts/sign-in/login-throttle.ts'
import type { Actor } from '../actor.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import type { Ctx } from '../ctx.ts'
import { forbidden, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'

/**
 * Asks for a crew member's PIN, once in 12 hours in each browser. A browser in which it was entered correctly before has
 * only a limit of its own. The others share one more, and a limit for each of them keeps any one from using it up.
 */
export async function requirePin(
  ctx: Ctx,
  actor: Actor,
  crewMemberId: string,
  pinHash: string,
  pin: string | undefined,
): Promise<void> {
  const { sessionId, restaurantId } = actor
  if (sessionId === null || restaurantId === null) throw forbidden()
  const until = await sessions.findPinUnlock(read(ctx), sessionId, crewMemberId)
  if (until !== undefined && until > ctx.now()) return
  if (pin === undefined) throw new Refusal('pin_required', 'Please enter your PIN')
  // The digest makes a new PIN start with fresh limits.
  const member = `${crewMemberId} ${ctx.secrets.digest(pinHash)}`
  const browser = `${member} ${sessionId}`
  // Counted before the check, or parallel attempts could exceed the limit.
  await ctx.limits.take('pin', browser)
  if (until === undefined) {
    await ctx.limits.take('pin-browser', browser)
    await ctx.limits.take('pin-member', member)
  }
  if (!(await ctx.passwords.verify(pinHash, pin, queueKeyOf(actor))))
    throw new Refusal('pin_required', 'Wrong PIN')
  for (const limit of ['pin', 'pin-browser'] satisfies LimitName[]) await ctx.limits.clear(limit, browser)
  await write(ctx, async ({ db, afterCommit }) => {
    await requireGrantStillValid(ctx, db, actor, 'contexts.setCrewMember')
    const current = await crew.lock(db, restaurantId, crewMemberId)
    if (current?.pinHash !== pinHash) throw new Refusal('pin_required', 'Please enter your PIN')
    await sessions.savePinUnlock(db, { sessionId, crewMemberId, until: ctx.now() + pinUnlockMs })
    afterCommit(() => logSecurityEvent(ctx, actor, 'grant-given', { kind: 'pin', subject: crewMemberId }))
  })
}
