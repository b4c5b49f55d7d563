import { hash, type Options, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { Refusal } from '../core/errors.ts'
import type { Passwords } from '../core/context.ts'

/** The least that OWASP advises for argon2id: about 20 ms of one core, and 19 MiB. */
const advised: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashing may take half of the threads that also read files and resolve names, and no more. */
const atOnce = 2
const longestQueue = 20

/** Shorter ones are refused for their length. */
const shortest = 6
const mostCommon = 3000

/** `options` is for tests, which want cheap hashes. */
export function argon2Passwords(options: Options = advised): Passwords {
  const inTurn = queue()
  const common = commonPasswords()
  const nobody = inTurn(() => hash('nobody', options))

  return {
    hash: (password) => inTurn(() => hash(password, options)),
    async verify(stored, password) {
      const against = stored ?? (await nobody)
      const matches = await inTurn(() => verify(against, password))
      return matches && stored !== null
    },
    isCommon: (password) => common.has(password.toLowerCase()),
  }
}

function commonPasswords(): ReadonlySet<string> {
  const longEnough = dictionary['passwords-common'].filter((password) => password.length >= shortest)
  return new Set(longEnough.slice(0, mostCommon).map((password) => password.toLowerCase()))
}

/** Beyond the queue a refusal now is kinder than an answer after the person gave up. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  return async (work) => {
    if (running === atOnce) {
      if (waiting.length === longestQueue) {
        throw new Refusal(
          'unavailable',
          'Many people are signing in right now. Please try again in a moment.',
          {
            retryAfter: 2,
          },
        )
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
