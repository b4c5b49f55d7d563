import { hash, type Options, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { formatDuration, Refusal } from '../../core/errors.ts'
import type { Passwords } from '../../ports/sign-in.ts'
import { FairQueue } from '../workers/fair-queue.ts'

/** OWASP's minimum for argon2id: about 20 ms of one core and 19 MiB. */
const recommendedOptions: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const maxQueueLength = 20
/** Keeps a part of the queue free for others, however many strangers try one account. */
const maxQueuedPerAccount = 15
/** However many addresses try names at random. */
const keptPlaces = { known: 8, named: 4 }

/** Tests pass `options` for cheap hashes. */
export function createArgon2Passwords(options: Options = recommendedOptions, workers = 1): Passwords {
  // Half of the threads that Node also needs to read files and resolve names; one for each of several workers.
  const maxConcurrent = workers > 1 ? 1 : 2
  const queue = new FairQueue({
    maxRunning: maxConcurrent,
    maxRunningPerClient: maxConcurrent,
    maxQueued: maxQueueLength,
    maxQueuedPerClient: maxQueueLength,
    maxQueuedPerAccount,
    keptPlaces,
    createRefusal: queueFullRefusal,
  })
  const dummyHash = queue.add({ of: 'nobody' }, () => hash('nobody', options))

  return {
    hash: (password, key) => queue.add(key, () => hash(password, options)),
    async verify(storedHash, password, key) {
      const against = storedHash ?? (await dummyHash)
      const matches = await queue.add(key, () => verify(against, password))
      return matches && storedHash !== null
    },
    isCommon: (password) => commonPasswords().has(password.toLowerCase()),
  }
}

let common: ReadonlySet<string> | undefined

/** About forty thousand passwords that are most common in breaches. Shorter ones are refused anyway. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    dictionary['passwords-common']
      .filter((password) => password.length >= passwordMinLength)
      .map((password) => password.toLowerCase()),
  )
  return common
}

/** Refusing at once is better than answering after the person has given up. */
function queueFullRefusal(retryAfter: number): Refusal {
  const wait = formatDuration(retryAfter * 1000)
  return new Refusal('unavailable', `Many people are signing in right now. Please try again in ${wait}.`, {
    retryAfter,
  })
}
