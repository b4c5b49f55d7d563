import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/ctx.ts'
import { listWaiting, lower, raise } from '../../core/presence/listening.ts'
import { createSeenTime } from '../seen-time.ts'
import {
  attend,
  type Attention,
  type AttentionEffect,
  type AttentionEvent,
  dueAt,
  unattended,
} from './attention.ts'
import { screenMoveGraceMs } from './presence-times.ts'

/** Alerts the managers when nobody listens any more, and withdraws the alert when somebody does again. */
export function createListeningAlarm(ctx: Ctx, onNobodyBack: (restaurantId: string) => void) {
  /** A restaurant that is unattended has none. */
  const states = new Map<string, Attention>()
  /** Where something happens by itself at `due`. */
  const waiting = new Map<string, { due: number; timer: NodeJS.Timeout | undefined }>()
  /** Where somebody has just begun to listen. */
  const arrived = new Set<string>()
  /** By which screens are expected. */
  const seenTime = createSeenTime(ctx.now)
  let stopped = false

  function dispatch(restaurantId: string, event: AttentionEvent, seen = seenTime()): void {
    if (stopped) return
    const before = states.get(restaurantId) ?? unattended
    const { state, effects } = attend(before, event, { clock: ctx.now(), seen })
    if (state.is === 'unattended') states.delete(restaurantId)
    else states.set(restaurantId, state)
    if (dueAt(state) !== dueAt(before)) wake(restaurantId, dueAt(state), seen)
    for (const effect of effects) perform(restaurantId, effect)
  }

  /** Unless some listen already, on whichever node. */
  function expectScreens(restaurantId: string, event: AttentionEvent): void {
    if (!ctx.presence(restaurantId).listening) dispatch(restaurantId, event)
  }

  function wake(restaurantId: string, due: number | undefined, seen: number): void {
    clearTimeout(waiting.get(restaurantId)?.timer)
    if (due === undefined) waiting.delete(restaurantId)
    else waiting.set(restaurantId, { due, timer: startTimer(restaurantId, due, due - seen) })
  }

  /** What is due later is left to ticks: after a start, screens are expected in all restaurants at once. */
  function startTimer(restaurantId: string, due: number, ms: number): NodeJS.Timeout | undefined {
    if (ms > screenMoveGraceMs) return undefined
    // By its own measure the timer may be a little early.
    return setTimeout(() => dispatch(restaurantId, { type: 'time-passed' }, Math.max(due, seenTime())), ms)
  }

  function perform(restaurantId: string, effect: AttentionEffect): void {
    switch (effect.type) {
      case 'alert':
        return ctx.background(() => raise(ctx, restaurantId, effect))
      case 'withdraw':
        if (arrived.size === 0) ctx.background(lowerWhereArrived)
        return void arrived.add(restaurantId)
      case 'nobody-back':
        return onNobodyBack(restaurantId)
    }
  }

  /** After a start they may be all restaurants. */
  async function lowerWhereArrived(): Promise<void> {
    await setImmediate()
    const restaurantIds = [...arrived]
    arrived.clear()
    await lower(ctx, restaurantIds)
  }

  // Before a stop the screens were sent away, so nobody is known to have been listening.
  ctx.background(async () => {
    for (const restaurantId of await listWaiting(ctx)) expectScreens(restaurantId, { type: 'restarted' })
  })

  return {
    /** The restaurant's presence may have changed; `onPurpose` when whoever left had signed out. */
    presenceChanged(restaurantId: string, onPurpose: boolean): void {
      const { listening } = ctx.presence(restaurantId)
      dispatch(restaurantId, { type: 'presence', listening, onPurpose })
    },
    /** Somebody had been listening since then, when this or another node stopped. */
    interrupted: (restaurantId: string, since: number) =>
      expectScreens(restaurantId, { type: 'interrupted', since }),
    /** If nobody was listening, as after the shift, managers must be told. */
    guestAsked: (restaurantId: string) => expectScreens(restaurantId, { type: 'guest-asked' }),
    tick(): void {
      const seen = seenTime()
      for (const [restaurantId, { due }] of waiting)
        if (due <= seen) dispatch(restaurantId, { type: 'time-passed' }, seen)
    },
    stop(): void {
      stopped = true
      for (const { timer } of waiting.values()) clearTimeout(timer)
    },
  }
}
