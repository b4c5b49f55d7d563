import type { Ctx } from '../../core/ports.ts'
import { lower, raise } from '../../core/presence/listening.ts'

/** Screens that a node sent away find another one by then; in milliseconds. */
const screenMoveGraceMs = 1_500
/** Screens find a server that was restarted by then, and another node has said what it has. */
const restartGraceMs = 8_000
/** Guests go on asking where nobody listens: the managers are told again after so long. */
const repeatAlarmMs = 10 * 60_000

/** Alarms the managers when nobody listens any more, and takes it back when somebody does. */
export function createListeningAlarm(ctx: Ctx) {
  /** Where somebody listens, and since when. */
  const listeningSince = new Map<string, number>()
  const pendingAlarms = new Map<string, NodeJS.Timeout>()
  /** Where screens are expected back, and until when; an alarm raised before `since` is over. */
  const expectedBack = new Map<string, { since: number; until: number }>()

  function confirmListening(restaurantId: string): void {
    clearTimeout(pendingAlarms.get(restaurantId))
    pendingAlarms.delete(restaurantId)
    expectedBack.delete(restaurantId)
    if (listeningSince.has(restaurantId)) return
    listeningSince.set(restaurantId, ctx.now())
    ctx.background(() => lower(ctx, restaurantId))
  }

  function scheduleAlarm(restaurantId: string, onPurpose: boolean): void {
    const since = listeningSince.get(restaurantId)
    if (since === undefined || pendingAlarms.has(restaurantId)) return
    const timer = setTimeout(() => {
      pendingAlarms.delete(restaurantId)
      listeningSince.delete(restaurantId)
      ctx.background(() => raise(ctx, restaurantId, { since, onPurpose }))
    }, screenMoveGraceMs)
    pendingAlarms.set(restaurantId, timer)
  }

  return {
    /** The presence of this restaurant may have changed; `onPurpose` when whoever left had signed out. */
    presenceChanged(restaurantId: string, onPurpose: boolean): void {
      if (ctx.presence(restaurantId).listening) confirmListening(restaurantId)
      else scheduleAlarm(restaurantId, onPurpose)
    },
    /** Somebody had been listening there since then, when this or another node stopped. */
    interrupted(restaurantId: string, since: number): void {
      if (ctx.presence(restaurantId).listening) return
      expectedBack.set(restaurantId, { since, until: ctx.now() + restartGraceMs })
    },
    /** A guest asks. Where nobody listens, as after the shift, the managers must know, unless screens are just back. */
    guestAsked(restaurantId: string): void {
      if (
        ctx.presence(restaurantId).listening ||
        listeningSince.has(restaurantId) ||
        expectedBack.has(restaurantId)
      )
        return
      const now = ctx.now()
      expectedBack.set(restaurantId, {
        since: now - repeatAlarmMs,
        until: now + restartGraceMs - screenMoveGraceMs,
      })
    },
    tick(now: number): void {
      for (const [restaurantId, { since, until }] of expectedBack) {
        if (until > now) continue
        expectedBack.delete(restaurantId)
        listeningSince.set(restaurantId, since)
        scheduleAlarm(restaurantId, false)
      }
    },
    stop(): void {
      for (const timer of pendingAlarms.values()) clearTimeout(timer)
    },
  }
}
