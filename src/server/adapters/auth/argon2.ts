import { hash, type Options, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { formatDuration, Refusal } from '../../core/errors.ts'
import type { Passwords } from '../../core/ports.ts'
import { createFairQueue } from '../fair-queue.ts'

/** The least that OWASP advises for argon2id: about 20 ms of one core, and 19 MiB. */
const recommendedOptions: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashing may take half of the threads that also read files and resolve names, and no more. */
const maxConcurrent = 2
const maxQueueLength = 20
/** However many strangers ask for one account, a part of the queue is for the others. */
const maxQueuedPerAccount = 15

/** Shorter ones are refused for their length. */
const minPasswordLength = 6

/** `options` is for tests, which want cheap hashes. */
export function createArgon2Passwords(options: Options = recommendedOptions): Passwords {
  const enqueue = createFairQueue({
    maxRunning: maxConcurrent,
    maxRunningPerClient: maxConcurrent,
    maxQueued: maxQueueLength,
    maxQueuedPerClient: maxQueueLength,
    maxQueuedPerAccount,
    createRefusal: queueFullRefusal,
  })
  const common = loadCommonPasswords()
  const dummyHash = enqueue({ of: 'nobody' }, () => hash('nobody', options))

  return {
    hash: (password, turn) => enqueue(turn, () => hash(password, options)),
    async verify(stored, password, turn) {
      const against = stored ?? (await dummyHash)
      const matches = await enqueue(turn, () => verify(against, password))
      return matches && stored !== null
    },
    isCommon: (password) => common.has(password.toLowerCase()),
  }
}

/** Some forty thousand that breaches brought to light most often. */
function loadCommonPasswords(): ReadonlySet<string> {
  const longEnough = dictionary['passwords-common'].filter((password) => password.length >= minPasswordLength)
  return new Set(longEnough.map((password) => password.toLowerCase()))
}

/** Beyond the queue a refusal now is kinder than an answer after the person gave up. */
function queueFullRefusal(retryAfter: number): Refusal {
  const wait = formatDuration(retryAfter * 1000)
  return new Refusal('unavailable', `Many people are signing in right now. Please try again in ${wait}.`, {
    retryAfter,
  })
}
