import type { LimitKey, Limits } from '../../ports/limits.ts'
import type { Database, Db } from '../../storage/engine/types.ts'
import * as limitCounts from '../../storage/limit-counts.ts'
import { isStored, limitReached, limitRules } from './limit-rules.ts'

type Options = {
  db: Database
  now: () => number
  /** Keys are names and addresses, which are not stored. */
  digest: (text: string) => string
  /** Counts all other limits. */
  others: Limits
}

/** Counts what must be exact in the database that servers share, where a restart does not reset it either. */
export function createStoredLimits({ db, now, digest, others }: Options): Limits {
  function attemptAt([limitName, key]: LimitKey): limitCounts.LimitUse {
    const { max, windowMs } = limitRules[limitName]
    return { limitName, keyDigest: digest(`limit|${limitName}|${key}`), max, windowMs, now: now() }
  }

  async function refuseIfFull(key: LimitKey, inside?: Db): Promise<void> {
    const attempt = attemptAt(key)
    const found = await (inside ? limitCounts.lock(inside, attempt) : limitCounts.find(db.reader, attempt))
    if (!found || found.count < attempt.max) return
    if (found.endsAt > attempt.now && found.endsAt <= limitCounts.latestEnd(attempt))
      throw limitReached(key[0], found.endsAt - attempt.now)
  }

  /** Two that touch the same limits run one after the other. A refusal takes back what was counted before it. */
  async function takeAll(
    taken: readonly LimitKey[],
    alsoChecked: readonly LimitKey[] = [],
    cleared: readonly LimitKey[] = [],
  ): Promise<void> {
    await db.transact(async (inside) => {
      for (const key of alsoChecked) await refuseIfFull(key, inside)
      for (const key of taken) {
        if (await limitCounts.countOne(inside, attemptAt(key))) continue
        await refuseIfFull(key, inside)
        throw limitReached(key[0], limitRules[key[0]].windowMs)
      }
      for (const key of cleared) await limitCounts.remove(inside, attemptAt(key))
    })
  }

  /** The latest attempt at each key. */
  const turns = new Map<string, Promise<void>>()

  /**
   * Attempts count in the order of the calls. Transactions that begin at once keep no order, so a right password could
   * overtake wrong ones.
   */
  async function inTurn([limit, key]: LimitKey, task: () => Promise<void>): Promise<void> {
    const name = `${limit} ${key}`
    const before = turns.get(name)
    const turn = before ? before.then(task, task) : task()
    turns.set(name, turn)
    try {
      await turn
    } finally {
      if (turns.get(name) === turn) turns.delete(name)
    }
  }

  const areStored = (keys: readonly LimitKey[]): boolean => keys.some(([limit]) => isStored(limit))

  return {
    async take(...key: LimitKey) {
      await (isStored(key[0]) ? takeAll([key]) : others.take(...key))
    },
    async check(...key: LimitKey) {
      await (isStored(key[0]) ? refuseIfFull(key) : others.check(...key))
    },
    async takeAll(taken, alsoChecked = [], cleared = []) {
      const keys = [...cleared, ...alsoChecked, ...taken]
      // The widest of them comes last.
      const widest = keys.at(-1)
      await (widest && areStored(keys)
        ? inTurn(widest, () => takeAll(taken, alsoChecked, cleared))
        : others.takeAll(taken, alsoChecked, cleared))
    },
    async clear(...key: LimitKey) {
      await (isStored(key[0]) ? takeAll([], [], [key]) : others.clear(...key))
    },
  }
}
