import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/ctx.ts'
import { listWaiting, lower, raise } from '../../core/presence/listening.ts'

/** All in milliseconds. How long screens that one node sent away may take to reach another. */
const screenMoveGraceMs = 1_500
/** How long screens may take to find a restarted server, and other nodes to publish their screens. */
const restartGraceMs = 8_000
/** How often managers are alerted again while guests keep sending requests and nobody listens. */
const repeatAlarmMs = 10 * 60_000

/** Alerts the managers when nobody listens any more, and withdraws the alert when somebody does again. */
export function createListeningAlarm(
  ctx: Ctx,
  /** Screens that were expected have had the time to come back. */
  onNobodyBack: (restaurantId: string) => void,
) {
  /** Since when somebody has been listening, by restaurant. */
  const listeningSince = new Map<string, number>()
  /** Where somebody has just begun to listen. */
  const confirmed = new Set<string>()
  const pendingAlarms = new Map<string, NodeJS.Timeout>()
  /** Until when screens are expected back, by restaurant. An alarm raised before `since` no longer stands. */
  const expectedBack = new Map<string, { since: number; until: number }>()

  function confirmListening(restaurantId: string): void {
    clearTimeout(pendingAlarms.get(restaurantId))
    pendingAlarms.delete(restaurantId)
    expectedBack.delete(restaurantId)
    if (listeningSince.has(restaurantId)) return
    listeningSince.set(restaurantId, ctx.now())
    if (confirmed.size === 0) ctx.background(lowerConfirmed)
    confirmed.add(restaurantId)
  }

  /** After a start they may be all restaurants. */
  async function lowerConfirmed(): Promise<void> {
    await setImmediate()
    const restaurantIds = [...confirmed]
    confirmed.clear()
    await lower(ctx, restaurantIds)
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

  /** The managers are told of guests who wait, unless screens are about to return. */
  function expectSoon(restaurantId: string, graceMs: number): void {
    const isKnown = listeningSince.has(restaurantId) || expectedBack.has(restaurantId)
    if (isKnown || ctx.presence(restaurantId).listening) return
    const now = ctx.now()
    expectedBack.set(restaurantId, { since: now - repeatAlarmMs, until: now + graceMs })
  }

  // Before a stop the screens were sent away, so nobody is known to have been listening.
  ctx.background(async () => {
    for (const restaurantId of await listWaiting(ctx)) expectSoon(restaurantId, restartGraceMs)
  })

  return {
    /** The restaurant's presence may have changed; `onPurpose` when whoever left had signed out. */
    presenceChanged(restaurantId: string, onPurpose: boolean): void {
      if (ctx.presence(restaurantId).listening) confirmListening(restaurantId)
      else scheduleAlarm(restaurantId, onPurpose)
    },
    /** Somebody had been listening since then, when this or another node stopped. */
    interrupted(restaurantId: string, since: number): void {
      if (ctx.presence(restaurantId).listening) return
      expectedBack.set(restaurantId, { since, until: ctx.now() + restartGraceMs })
    },
    /** If nobody was listening, as after the shift, managers must be told. */
    guestAsked: (restaurantId: string) => expectSoon(restaurantId, restartGraceMs - screenMoveGraceMs),
    tick(now: number): void {
      for (const [restaurantId, { since, until }] of expectedBack) {
        if (until > now) continue
        expectedBack.delete(restaurantId)
        listeningSince.set(restaurantId, since)
        scheduleAlarm(restaurantId, false)
        onNobodyBack(restaurantId)
      }
    },
    stop(): void {
      for (const timer of pendingAlarms.values()) clearTimeout(timer)
    },
  }
}
