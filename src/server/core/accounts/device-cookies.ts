import type { Actor } from '../actor.ts'
import type { Ctx } from '../ports.ts'

/**
 * Who is signed in to, whatever door or spelling led there: `key` is made of ids. `secret` is the stored hash of
 * its password, null when it has none.
 */
export type Account = { key: string; secret: string | null }

/** How many accounts one browser is known to; the one used longest ago is forgotten first. */
const maxAccounts = 8
const nonceLength = 16

/**
 * The browser's proof that it signed in to this account before, or null. Only this account's own proof counts, and
 * it is signed with the stored hash: a changed password makes all proofs of the account worthless.
 */
export function findProof(ctx: Ctx, actor: Actor, account: Account): string | null {
  return parseProofs(actor).find((proof) => isValidProof(ctx, account, proof)) ?? null
}

/** What the browser keeps after it signed in: it says to nobody else which accounts these are. */
export function rememberAccount(ctx: Ctx, actor: Actor, account: Account): string {
  const existing = findProof(ctx, actor, account)
  const proof = existing ?? signProof(ctx, account, ctx.secrets.newToken().slice(0, nonceLength))
  const others = parseProofs(actor).filter((other) => other !== existing)
  return [proof, ...others].slice(0, maxAccounts).join('.')
}

const parseProofs = ({ deviceCookie }: Actor): string[] => deviceCookie?.split('.', maxAccounts) ?? []

const signProof = (ctx: Ctx, { key, secret }: Account, nonce: string): string =>
  `${nonce}${ctx.secrets.sign(secret ?? '', `device ${key} ${nonce}`)}`

function isValidProof(ctx: Ctx, account: Account, proof: string): boolean {
  return (
    account.secret !== null && ctx.secrets.equal(proof, signProof(ctx, account, proof.slice(0, nonceLength)))
  )
}
