import type { Actor } from '../../actor.ts'
import type { Ctx } from '../../ctx.ts'
import type { Account } from '../sign-in/login-accounts.ts'

/** How many accounts one browser is remembered for; the one used longest ago is forgotten first. */
const maxAccounts = 8
const nonceLength = 16

/**
 * The browser's proof that it signed in to this account before, or null. The stored password hash signs it, so a new
 * password invalidates all proofs of the account, and no proof works for another one.
 */
export function findProof(ctx: Ctx, actor: Actor, account: Account): string | null {
  return parseProofs(actor).find((proof) => isValidProof(ctx, account, proof)) ?? null
}

/** The new value of the browser's cookie. It does not reveal which accounts these are. */
export function rememberAccount(ctx: Ctx, actor: Actor, account: Account): string {
  const existing = findProof(ctx, actor, account)
  const proof = existing ?? signProof(ctx, account, ctx.secrets.newToken().slice(0, nonceLength))
  const others = parseProofs(actor).filter((other) => other !== existing)
  return [proof, ...others].slice(0, maxAccounts).join('.')
}

/** Remembers the account, and that its second factor or passkey was used, which is counted by itself. */
export function rememberBoth(ctx: Ctx, actor: Actor, account: Account, counted: Account): string {
  const deviceCookie = rememberAccount(ctx, actor, account)
  return rememberAccount(ctx, { ...actor, deviceCookie }, counted)
}

const parseProofs = ({ deviceCookie }: Actor): string[] => deviceCookie?.split('.', maxAccounts) ?? []

const signProof = (ctx: Ctx, { key, secret }: Account, nonce: string): string =>
  `${nonce}${ctx.secrets.sign(secret ?? '', `device ${key} ${nonce}`)}`

function isValidProof(ctx: Ctx, account: Account, proof: string): boolean {
  return (
    account.secret !== null && ctx.secrets.equal(proof, signProof(ctx, account, proof.slice(0, nonceLength)))
  )
}
