import { hourMs } from '#contract/durations.ts'
import { localDate } from '../../../lib/time/dates.ts'

/** No shift lasts longer. One that began in the evening goes on after midnight. */
export const shiftMs = 16 * hourMs

/**
 * `startedAt`: in epoch milliseconds, by a clock that may have been set since; from the previous version of the page, the
 * day.
 */
export const isInShift = (startedAt: string | null, now: number): boolean =>
  startedAt !== null && (Math.abs(now - Number(startedAt)) < shiftMs || startedAt === localDate(now))

/**
 * The start of a shift at one screen. `offer`: offers the button that starts it; `heard?`: asks whether the test sound
 * was heard; `unheard`: shows what to do about it; `seen?` and `unseen`: the same for the test alert.
 */
export type ShiftState = {
  started: boolean
  card: 'none' | 'offer' | 'heard?' | 'unheard' | 'seen?' | 'unseen'
}

export type ShiftEvent =
  | { type: 'chosen'; inShift: boolean }
  | { type: 'start' }
  /** `alertsOn`: a test alert is being shown. */
  | { type: 'heard'; alertsOn: boolean }
  | { type: 'not-heard' }
  | { type: 'play-again' }
  | { type: 'seen' }
  | { type: 'not-seen' }
  | { type: 'show-again' }
  | { type: 'not-now' }

export const initialShiftState: ShiftState = { started: false, card: 'none' }

/** Offered once: after a reload, one tap beside the title restores the sound. */
export function shiftReducer(flow: ShiftState, event: ShiftEvent): ShiftState {
  switch (event.type) {
    case 'chosen':
      return event.inShift ? { started: true, card: 'none' } : { started: false, card: 'offer' }
    case 'start':
      return { started: true, card: flow.started ? 'none' : 'heard?' }
    case 'heard':
      return { ...flow, card: event.alertsOn ? 'seen?' : 'none' }
    case 'seen':
    case 'not-now':
      return { ...flow, card: 'none' }
    case 'not-heard':
      return { ...flow, card: 'unheard' }
    case 'play-again':
      return { ...flow, card: 'heard?' }
    case 'not-seen':
      return { ...flow, card: 'unseen' }
    case 'show-again':
      return { ...flow, card: 'seen?' }
  }
}
