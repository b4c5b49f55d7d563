import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { Refusal } from '../errors.ts'
import { tryTake } from '../limits/limits.ts'

/** What the operator of an installation must be able to reconstruct after an attack. */
export type SecurityEvent =
  | 'login-succeeded'
  | 'login-failed'
  | 'login-limited'
  | 'identity-confirmed'
  | 'grant-given'
  | 'grant-revoked'
  | 'refused-by-right'
  | 'limit-reached'
  | 'credential-changed'
  | 'recovery-link-created'
  | 'recovery-used'
  | 'data-exported'
  | 'token-refused'
  | 'restaurant-erased'

/** One log line: who, what, when, from where. `details` holds names and ids, never a secret. */
export function logSecurityEvent(
  ctx: Pick<Ctx, 'log'>,
  actor: Actor,
  event: SecurityEvent,
  details: Record<string, string | number | boolean | null> = {},
): void {
  const { restaurantId, sessionId, token, grants, address } = actor
  const who = {
    ...Object.fromEntries([...grants].map(([kind, { subjectId }]) => [kind, subjectId])),
    ...(token && { software: token.id }),
  }
  ctx.log.info({ security: event, restaurantId, session: sessionId, who, from: address, ...details }, event)
}

/**
 * Logs an operation that was refused for lack of a right or by a limit. The number of lines per address is limited, so
 * that a flood of refusals does not flood the log.
 */
export async function logRefusal(ctx: Ctx, actor: Actor, call: string, error: unknown): Promise<void> {
  const event = error instanceof Refusal ? toSecurityEvent(error, actor) : null
  if (event !== null && (await tryTake(ctx, 'refusal-log', actor.address)))
    logSecurityEvent(ctx, actor, event, { call })
}

/** Pages ask who is signed in, so `unauthenticated` is worth a line only where there was a session. */
function toSecurityEvent({ code }: Refusal, { sessionId }: Actor): SecurityEvent | null {
  switch (code) {
    case 'rate_limited':
      return 'limit-reached'
    case 'forbidden':
      return 'refused-by-right'
    case 'unauthenticated':
      return sessionId === null ? null : 'refused-by-right'
    default:
      return null
  }
}
