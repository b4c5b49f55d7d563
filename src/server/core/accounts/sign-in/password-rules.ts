import { nameKey } from '#contract/primitives.ts'
import type { QueueKey } from '../../../ports/sign-in.ts'
import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../errors.ts'

/** Guessed first here, besides the names of the restaurant and of the person. */
const productWords = ['tableside', 'restaurant', 'waiter', 'manager', 'owner', 'admin']

/** With this many digits and signs around it, even a name is hard to guess. */
const minExtraCharacters = 8

/** Refuses common passwords, whole names, and such a word or name with few digits and signs around it. */
export function refuseGuessablePassword(ctx: Ctx, password: string, names: string[]): void {
  const words = [...names, ...names.map((name) => name.replace(/@.*/u, '')), ...productWords].map(lettersOf)
  const letters = lettersOf(password)
  const isNearName = words.includes(letters) && password.length - letters.length < minExtraCharacters
  const isName = names.some((name) => nameKey(name) === nameKey(password))
  if (ctx.passwords.isCommon(password) || isName || isNearName) {
    throw invalid('Please choose a password that is harder to guess')
  }
}

/** A name without letters is compared as it is. */
const lettersOf = (text: string): string => {
  const key = nameKey(text)
  return key.replaceAll(/[^\p{L}\p{M}]/gu, '') || key
}

export async function refuseStaffPassword(
  ctx: Ctx,
  staffPasswordHashes: readonly string[],
  password: string,
  queueKey: QueueKey,
): Promise<void> {
  for (const hash of staffPasswordHashes)
    if (await ctx.passwords.verify(hash, password, queueKey))
      throw invalid('Please choose one that is not the staff password')
}
