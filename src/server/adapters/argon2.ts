import { hash, type Options, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { duration, Refusal } from '../core/errors.ts'
import type { Passwords } from '../core/ports.ts'
import { fairQueue } from './fair-queue.ts'

/** The least that OWASP advises for argon2id: about 20 ms of one core, and 19 MiB. */
const advised: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashing may take half of the threads that also read files and resolve names, and no more. */
const atOnce = 2
const longestQueue = 20
/** However many strangers ask for one account, a part of the queue is for the others. */
const longestOfAccount = 15

/** Shorter ones are refused for their length. */
const shortest = 6

/** `options` is for tests, which want cheap hashes. */
export function argon2Passwords(options: Options = advised): Passwords {
  const inTurn = fairQueue({
    atOnce,
    atOnceOfOne: atOnce,
    longest: longestQueue,
    longestOfOne: longestQueue,
    longestOfAccount,
    refusal: tooMany,
  })
  const common = commonPasswords()
  const nobody = inTurn({ of: 'nobody' }, () => hash('nobody', options))

  return {
    hash: (password, turn) => inTurn(turn, () => hash(password, options)),
    async verify(stored, password, turn) {
      const against = stored ?? (await nobody)
      const matches = await inTurn(turn, () => verify(against, password))
      return matches && stored !== null
    },
    isCommon: (password) => common.has(password.toLowerCase()),
  }
}

/** Some forty thousand that breaches brought to light most often. */
function commonPasswords(): ReadonlySet<string> {
  const longEnough = dictionary['passwords-common'].filter((password) => password.length >= shortest)
  return new Set(longEnough.map((password) => password.toLowerCase()))
}

/** Beyond the queue a refusal now is kinder than an answer after the person gave up. */
function tooMany(retryAfter: number): Refusal {
  const wait = duration(retryAfter * 1000)
  return new Refusal('unavailable', `Many people are signing in right now. Please try again in ${wait}.`, {
    retryAfter,
  })
}
