import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/ctx.ts'
import { listWaiting, lower, raise } from '../../core/presence/listening.ts'
import {
  attend,
  type Attention,
  type AttentionEffect,
  type AttentionEvent,
  dueAt,
  unattended,
} from './attention.ts'

/** Alerts the managers when nobody listens any more, and withdraws the alert when somebody does again. */
export function createListeningAlarm(ctx: Ctx, onNobodyBack: (restaurantId: string) => void) {
  /** Of the restaurants that are not unattended. */
  const states = new Map<string, Attention>()
  const timers = new Map<string, NodeJS.Timeout>()
  /** Where somebody has just begun to listen. */
  const arrived = new Set<string>()
  let stopped = false

  function dispatch(restaurantId: string, event: AttentionEvent, now = ctx.now()): void {
    if (stopped) return
    const before = states.get(restaurantId) ?? unattended
    const { state, effects } = attend(before, event, now)
    if (state.is === 'unattended') states.delete(restaurantId)
    else states.set(restaurantId, state)
    if (dueAt(state) !== dueAt(before)) wake(restaurantId, dueAt(state), now)
    for (const effect of effects) perform(restaurantId, effect)
  }

  /** Unless some listen already, on whichever node. */
  function expectScreens(restaurantId: string, event: AttentionEvent): void {
    if (!ctx.presence(restaurantId).listening) dispatch(restaurantId, event)
  }

  function wake(restaurantId: string, due: number | undefined, now: number): void {
    clearTimeout(timers.get(restaurantId))
    timers.delete(restaurantId)
    if (due === undefined) return
    // By its own measure the timer may be a little early.
    const timePassed = () => dispatch(restaurantId, { type: 'time-passed' }, Math.max(due, ctx.now()))
    timers.set(restaurantId, setTimeout(timePassed, due - now))
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
    tick(now: number): void {
      for (const restaurantId of timers.keys()) dispatch(restaurantId, { type: 'time-passed' }, now)
    },
    stop(): void {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
