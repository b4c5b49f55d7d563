import { dayMs } from '#contract/durations.ts'
import type { ErrorCode, RefusalBody } from '#contract/errors.ts'
import { pauseReasonLabels } from '#contract/guests/pause-reasons.ts'
import type { PageLanguage } from '#contract/guests/visits.ts'
import {
  barrierMessages,
  type ExpectedTime,
  pauseReasons,
  serviceTypeLabels,
  serviceTypes,
} from '#contract/requests/requests.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import { textKey } from '#contract/texts/text-key.ts'
import { noConnectionText } from '../../api/http.ts'
import { isolated } from '../../lib/texts/isolated.ts'
import { setCatalogue, t } from '../../lib/texts/translate.ts'
import { knownZone } from '../../lib/time/known-zone.ts'
import { CallError } from './guest-calls.ts'

let language = 'en'
let isInAddress = false

export const pageLanguage = (): string => language

/** Before anything is rendered. */
export function setLanguage(page: Pick<PageLanguage, 'language' | 'texts' | 'inAddress'>): void {
  language = page.language
  isInAddress = page.inAddress ?? false
  const { texts } = page
  setCatalogue(language, { get: (text) => texts[textKey(text)] })
}

/** What the addresses and forms of the page need to open it in its language again. */
export const languageInAddress = (): { lang?: string } => (isInAddress ? { lang: language } : {})

export const missingRequest = 'This request is already done'
const unreachable = ["We can't reach the restaurant right now.", 'Please wave to your waiter.'] as const
/** Whatever else went wrong, somebody can help them. */
const unexpected = ['Please wave to your waiter.']

/** Guests never meet these, or read a text of their own. */
type Unexpected =
  | 'unauthenticated'
  | 'second_factor_required'
  | 'restaurant_required'
  | 'payment_required'
  | 'recent_sign_in_required'
  | 'pin_required'
  | 'closed'
  | 'need_paused'
  | 'precondition_failed'
  | 'too_large'
  | 'range_not_satisfiable'
  | 'unsupported'
  | 'rate_limited'
  | 'name_taken'
  | 'username_taken'
  | 'already_restored'

const refusalTexts: Record<Exclude<ErrorCode, Unexpected>, readonly string[]> = {
  invalid: ['Please check what you typed.'],
  forbidden: ['Only the device that asked can do that'],
  not_found: ['Restaurant not found'],
  timeout: unreachable,
  conflict: [missingRequest],
  code_required: [barrierMessages.code_required],
  table_muted: [barrierMessages.table_muted],
  table_closed: [barrierMessages.table_closed],
  visit_expired: ['Your session has expired after 3 hours.'],
  internal: unreachable,
  unavailable: unreachable,
}
const textsOf: Partial<Record<string, readonly string[]>> = refusalTexts

/** In another language by its code and what that is about, as its message is English. `missing`: what was not found. */
export function refusalText(
  { code, message, params: { table, seconds, scan, until, ...what } = {} }: RefusalBody,
  missing?: string,
): string {
  if (language === 'en') return message
  if (table !== undefined)
    return t("We couldn't find table {table}. Please check the number on your table.", { table })
  if (seconds !== undefined) {
    const wait = t('Please wait {wait} and try again.', { wait: formatWait(seconds) })
    if (scan) return `${refusalText({ code: 'code_required', message })} ${t('Or')}: ${wait}`
    return code === 'conflict' ? `${t('The crew has just been told.')} ${wait}` : wait
  }
  if (until !== undefined) return inOneText(explainUnavailable({ until, ...what }, Date.now()))
  // Only pages on which guests can write to the manager have the text of that conflict.
  if (code === 'conflict' && t(message) !== message) return t(message)
  // A server that is newer than the page may know other codes.
  const texts = code === 'not_found' && missing !== undefined ? [missing] : (textsOf[code] ?? unexpected)
  return texts.map((text) => t(text)).join(' ')
}

type Unavailable = Pick<NonNullable<RefusalBody['params']>, 'serviceType' | 'reason' | 'timeZone'> & {
  until: number
  /** The restaurant's own reason, in its own words. */
  text?: string | null | undefined
  texts?: LocalText | undefined
}

/** The restaurant's own reason. `lang` is empty where nobody said which language it is. */
type OwnReason = { lang: string; text: string }

type Explanation = { said: string; own?: OwnReason | undefined }

/** Of the whole restaurant, or one need: until when, and why. */
export function explainUnavailable({ until, ...what }: Unavailable, now: number): Explanation {
  const time = formatUntil(until, knownZone(what.timeZone), now)
  const type = serviceTypes.find((each) => each === what.serviceType)
  if (!type) return { said: t('Closed until {time}.', { time }) }
  const said = t('{need}: not available until {time}.', { need: t(serviceTypeLabels[type]), time })
  const own = ownReason(what)
  const reason = pauseReasons.find((each) => each === what.reason)
  return own || !reason || reason === 'own'
    ? { said, own }
    : { said: `${said} ${t(pauseReasonLabels[reason])}` }
}

/** In the page's language, or else in the restaurant's own. */
function ownReason({ text, texts = {} }: Pick<Unavailable, 'text' | 'texts'>): OwnReason | undefined {
  const lang = [language, ...Object.keys(texts)].find((tag) => texts[tag]) ?? ''
  const said = texts[lang] ?? text
  return said ? { lang, text: said } : undefined
}

/** Where there can be no elements. The restaurant writes its reason in its own direction. */
export const inOneText = ({ said, own }: Explanation): string =>
  own ? `${said} ${isolated(own.text)}` : said

/** On the restaurant's clock, with the weekday if that is not today, and with the date if that may be next week's. */
function formatUntil(until: number, timeZone: string | undefined, now: number): string {
  const dayOf = (at: number): string =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' }).format(at)
  return (
    new Intl.DateTimeFormat(language, {
      timeZone,
      numberingSystem: 'latn',
      ...(dayOf(until) === dayOf(now)
        ? { timeStyle: 'short' }
        : { hour: 'numeric', minute: '2-digit', weekday: 'long' }),
      ...(until - now > 6 * dayMs && { day: 'numeric', month: 'long' }),
    })
      .format(until)
      // AM and PM stay with their time: Korean has 오전 and 오후 before it.
      .replace(/(:\d\d|[\u{c804}\u{d6c4}]) /u, '$1\u00A0')
  )
}

/** What a guest is told when a call failed. */
export function errorText(error: unknown, missing?: string): string {
  const refusal = refusalOf(error)
  return refusal ? refusalText(refusal, missing) : t(noConnectionText)
}

/** The same on the menu, where a warning says what to do while the server is away. */
export const menuErrorText = (error: unknown): string =>
  language !== 'en' && error instanceof CallError && error.status >= 500
    ? t(unreachable[0])
    : errorText(error, missingRequest)

export const refusalOf = (error: unknown): RefusalBody | null =>
  error instanceof CallError ? error.refusal : null

/** In whole minutes or hours; nothing within the first minute. */
export function formatAge(ms: number): string[] {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return []
  const style = language === 'en' ? 'narrow' : 'short'
  const format = new Intl.RelativeTimeFormat(`${language}-u-nu-latn`, { style })
  return [minutes < 60 ? format.format(-minutes, 'minute') : format.format(-Math.floor(minutes / 60), 'hour')]
}

function formatWait(seconds: number): string {
  const [amount, unit] = seconds <= 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return formatIn(unit, 'long').format(amount)
}

const formatIn = (unit: string, unitDisplay: 'long' | 'short') =>
  new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay })

/** How long it usually takes, until it has taken longer. */
export function expectedText({ fromMs, untilMs }: ExpectedTime, ageMs: number): string {
  if (ageMs > untilMs) return t('longer than usual')
  const format = formatIn('minute', 'short')
  const [from, until] = [fromMs / 60_000, untilMs / 60_000]
  return from < 1
    ? t('usually within {time}', { time: format.format(until) })
    : t('usually {time}', { time: format.formatRange(from, until) })
}
