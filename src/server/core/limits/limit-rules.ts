import { hourMs, minuteMs } from '#contract/durations.ts'
import type { LimitName } from '../../ports/limits.ts'
import { formatDuration, Refusal } from '../errors.ts'

export type LimitRule = {
  max: number
  windowMs: number
  message: (waitMs: number) => string
  /** Wrong guesses are counted, but a code that is scanned is found: the refusal says so. */
  scan?: true
}

const guestMessage = (waitMs: number) =>
  `You have asked many times in a short while. Please wait ${formatDuration(waitMs)} and try again.`
const busyMessage = (waitMs: number) =>
  `Many requests are arriving right now. Please wait ${formatDuration(waitMs)} and try again.`
const stillWaitingMessage = (waitMs: number) =>
  `You have told the crew many times. Please try again in ${formatDuration(waitMs)}.`
const noteMessage = (waitMs: number) =>
  `You have written to the manager already. Please wait ${formatDuration(waitMs)} and try again.`
const buttonMessage = (waitMs: number) =>
  `This button was pressed many times. Please wait ${formatDuration(waitMs)} and try again.`
const unknownTableMessage = (waitMs: number) =>
  `Too many tables were not found. Please scan the code on your table, or try again in ${formatDuration(waitMs)}.`
const unknownTable = { message: unknownTableMessage, scan: true } as const
const newNameMessage = (waitMs: number) =>
  `Many restaurant names were registered from here. Please try again in ${formatDuration(waitMs)}.`
const signUpMessage = (waitMs: number) =>
  `Many restaurants are signing up right now. Please try again in ${formatDuration(waitMs)}.`
const codeSheetMessage = (waitMs: number) =>
  `The table codes were drawn many times. Please try again in ${formatDuration(waitMs)}.`
const exportMessage = (waitMs: number) =>
  `Everything was downloaded several times already. Please try again in ${formatDuration(waitMs)}.`
const attemptsMessage = (waitMs: number) =>
  `Too many attempts. Please try again in ${formatDuration(waitMs)}.`

const tokenMessage = (waitMs: number) =>
  `This token calls very often. Please wait ${formatDuration(waitMs)} and try again.`

const mailMessage = (waitMs: number) =>
  `Many emails were sent already. Please try again in ${formatDuration(waitMs)}.`

const deviceCodeMessage = (waitMs: number) =>
  `Too many attempts. Please scan the code instead, or try again in ${formatDuration(waitMs)}.`

/**
 * Limits for logins, PINs and device codes count failures only, `guest-miss` counts tables and restaurants that do not
 * exist, `guest-button-miss` and `api-token-miss` tokens, and `guest-link-miss` short links. Everybody in a restaurant
 * shares one address, so limits by address leave room for 200 guests; `login-device` and `pin` lock out one browser and
 * no other.
 */
export const limitRules: Record<LimitName, LimitRule> = {
  'guest-device': { max: 12, windowMs: 10 * minuteMs, message: guestMessage },
  'guest-table': { max: 20, windowMs: 10 * minuteMs, message: guestMessage },
  'guest-address': { max: 600, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-restaurant': { max: 240, windowMs: minuteMs, message: busyMessage },
  'guest-still-waiting-device': { max: 60, windowMs: 10 * minuteMs, message: stillWaitingMessage },
  'guest-still-waiting-address': { max: 3_000, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-miss-device': { max: 20, windowMs: 10 * minuteMs, ...unknownTable },
  'guest-miss-address': { max: 400, windowMs: 10 * minuteMs, ...unknownTable },
  'guest-note-device': { max: 3, windowMs: 10 * minuteMs, message: noteMessage },
  'guest-note-table': { max: 6, windowMs: 10 * minuteMs, message: noteMessage },
  'guest-note-address': { max: 60, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-note-restaurant': { max: 60, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-button': { max: 30, windowMs: 10 * minuteMs, message: buttonMessage },
  'guest-button-miss': { max: 600, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-link-miss': { max: 60, windowMs: 10 * minuteMs, ...unknownTable },
  'api-token': { max: 600, windowMs: minuteMs, message: tokenMessage },
  'api-token-miss': { max: 60, windowMs: 10 * minuteMs, message: attemptsMessage },
  login: { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  'login-address': { max: 100, windowMs: hourMs, message: attemptsMessage },
  'login-account': { max: 50, windowMs: 24 * hourMs, message: attemptsMessage },
  'login-device': { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  pin: { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  'pin-browser': { max: 10, windowMs: 24 * hourMs, message: attemptsMessage },
  'pin-member': { max: 50, windowMs: 24 * hourMs, message: attemptsMessage },
  'new-name-hour': { max: 10, windowMs: hourMs, message: newNameMessage },
  'new-name-day': { max: 30, windowMs: 24 * hourMs, message: newNameMessage },
  'code-sheet': { max: 20, windowMs: minuteMs, message: codeSheetMessage },
  'restaurant-export': { max: 5, windowMs: hourMs, message: exportMessage },
  'new-name-all': { max: 30, windowMs: minuteMs, message: signUpMessage },
  'refusal-log': { max: 20, windowMs: minuteMs, message: attemptsMessage },
  'oidc-address': { max: 100, windowMs: hourMs, message: attemptsMessage },
  'csp-report-address': { max: 60, windowMs: minuteMs, message: busyMessage },
  'csp-report-all': { max: 60, windowMs: minuteMs, message: busyMessage },
  'device-code': { max: 4, windowMs: 15 * minuteMs, message: deviceCodeMessage },
  'device-code-address': { max: 20, windowMs: hourMs, message: deviceCodeMessage },
  'device-code-all': { max: 1_000, windowMs: hourMs, message: deviceCodeMessage },
  'staff-password': { max: 10, windowMs: hourMs, message: attemptsMessage },
  'outside-again': { max: 200, windowMs: 10 * minuteMs, message: attemptsMessage },
  'outside-test': { max: 10, windowMs: 10 * minuteMs, message: attemptsMessage },
  'mailed-code': { max: 10, windowMs: hourMs, message: mailMessage },
  'mailed-code-address': { max: 5, windowMs: hourMs, message: mailMessage },
  'mailed-link': { max: 3, windowMs: hourMs, message: mailMessage },
  'mailed-link-address': { max: 5, windowMs: hourMs, message: mailMessage },
  'mailed-link-kept': { max: 1, windowMs: 30 * minuteMs, message: mailMessage },
  'mailed-link-caller': { max: 20, windowMs: hourMs, message: mailMessage },
}

/** The refusal for somebody who has reached a limit. */
export function limitReached(limit: LimitName, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1000)
  const { message, scan } = limitRules[limit]
  const params = { seconds, ...(scan && { scan }) }
  return new Refusal('rate_limited', message(waitMs), { retryAfter: seconds, params })
}

/**
 * Whether servers that share a database count it there: whatever protects a password, a name or a mailbox. It is rare,
 * and must be exact. Guests' taps and other software may not wait for it.
 */
export const isStored = (limit: LimitName): boolean =>
  !/^(?:guest|api-token|csp-report|refusal-log)/u.test(limit)
