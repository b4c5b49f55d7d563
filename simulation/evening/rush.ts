import { minuteMs } from '#contract/durations.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { initialAlertState, nextAlert } from '../../src/client/features/crew/alerts/alerts.ts'

/** How often one person's screen sounds, by the dashboard's own rule. */
export class Sounds {
  #alerts = initialAlertState
  #count = 0

  /** To be called whenever the screen may sound, with what it lists. */
  hear(open: readonly ServiceRequest[], me: string, now: number): void {
    const { state, alert } = nextAlert(this.#alerts, open, me, now)
    this.#alerts = state
    if (alert?.sound) this.#count++
  }

  /** On average over the time in which it could sound. */
  inTenMinutes(heardMs: number): number {
    return (this.#count * 10 * minuteMs) / heardMs
  }
}

/** The share of requests that called so many people at least: all crew from level 1 on, the manager from 2 on. */
export const shareRaised = (levels: readonly number[], to: 1 | 2): number =>
  levels.filter((level) => level >= to).length / levels.length
