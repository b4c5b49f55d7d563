import type { Ctx } from '../core/ports.ts'
import { lower, raise } from '../core/listening-alarm.ts'

/** Screens that a node sent away find another one by then; in milliseconds. */
const settleMs = 1_500
/** Screens find a server that was restarted by then, and another node has said what it has. */
const returnMs = 8_000
/** Guests go on asking where nobody listens: the managers are told again after so long. */
const againMs = 10 * 60_000

/** Alarms the managers when nobody listens any more, and takes it back when somebody does. */
export function keepListeningAlarm(ctx: Ctx) {
  /** Where somebody listens, and since when. */
  const heard = new Map<string, number>()
  const doubts = new Map<string, NodeJS.Timeout>()
  /** Where screens are expected back, and until when; an alarm raised before `since` is over. */
  const expected = new Map<string, { since: number; until: number }>()

  function trust(restaurantId: string): void {
    clearTimeout(doubts.get(restaurantId))
    doubts.delete(restaurantId)
    expected.delete(restaurantId)
    if (heard.has(restaurantId)) return
    heard.set(restaurantId, ctx.now())
    ctx.background(() => lower(ctx, restaurantId))
  }

  function doubt(restaurantId: string, onPurpose: boolean): void {
    const since = heard.get(restaurantId)
    if (since === undefined || doubts.has(restaurantId)) return
    const timer = setTimeout(() => {
      doubts.delete(restaurantId)
      heard.delete(restaurantId)
      ctx.background(() => raise(ctx, restaurantId, { since, onPurpose }))
    }, settleMs)
    doubts.set(restaurantId, timer)
  }

  return {
    /** The presence of this restaurant may have changed; `onPurpose` when whoever left had signed out. */
    changed(restaurantId: string, onPurpose: boolean): void {
      if (ctx.presence(restaurantId).listening) trust(restaurantId)
      else doubt(restaurantId, onPurpose)
    },
    /** Somebody had been listening there since then, when this or another node stopped. */
    interrupted(restaurantId: string, since: number): void {
      if (ctx.presence(restaurantId).listening) return
      expected.set(restaurantId, { since, until: ctx.now() + returnMs })
    },
    /** A guest asks. Where nobody listens, as after the shift, the managers must know, unless screens are just back. */
    asked(restaurantId: string): void {
      if (ctx.presence(restaurantId).listening || heard.has(restaurantId) || expected.has(restaurantId))
        return
      const now = ctx.now()
      expected.set(restaurantId, { since: now - againMs, until: now + returnMs - settleMs })
    },
    tick(now: number): void {
      for (const [restaurantId, { since, until }] of expected) {
        if (until > now) continue
        expected.delete(restaurantId)
        heard.set(restaurantId, since)
        doubt(restaurantId, false)
      }
    },
    stop(): void {
      for (const timer of doubts.values()) clearTimeout(timer)
    },
  }
}
