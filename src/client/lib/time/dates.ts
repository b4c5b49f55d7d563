import { t } from '../texts/translate.ts'
/** The browser's own calendar day, as yyyy-MM-dd. */
export function localDate(now: number | Date): string {
  const date = new Date(now)
  const pad = (part: number, length: number): string => String(part).padStart(length, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`
}

/** Counts calendar days, so that days of 23 or 25 hours do not matter. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** A number keeps its unit: in German there is a space between. */
export const unbroken = (text: string): string => text.replaceAll(' ', '\u{a0}')

/** In the largest whole unit. A clock that runs behind gives '0s'. */
export const formatElapsed = (elapsedMs: number): string =>
  unbroken(wordElapsed(Math.max(0, Math.floor(elapsedMs / 1000))))

function wordElapsed(seconds: number): string {
  if (seconds < 60) return t('{count}s', { count: seconds })
  if (seconds < 3600) return t('{count}m', { count: Math.floor(seconds / 60) })
  if (seconds < 86_400) return t('{count}h', { count: Math.floor(seconds / 3600) })
  return t('{count}d', { count: Math.floor(seconds / 86_400) })
}

export const formatTimeAgo = (elapsedMs: number): string =>
  t('{time} ago', { time: formatElapsed(elapsedMs) })

/** The page's language, in the device's own way if it has one: `en-GB`. */
export function pageLocale(): string {
  const language = document.documentElement.lang || 'en'
  return findDeviceLocale((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language
}

// Chrome says `en-US@posix` on a computer without a locale.
const findDeviceLocale = (matches: (tag: string) => boolean): string | undefined =>
  navigator.languages.find(matches)?.replace(/@.*/u, '')

/** Slow to create. By all that they follow of the device, which people may change meanwhile. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Digits are those on the tables. */
export function formatDate(at: number | Date, options: Intl.DateTimeFormatOptions): string {
  const locale = pageLocale()
  // To ask for the time zone's name would be as slow.
  const offsets = [0, 6].map((month) => new Date(2026, month).getTimezoneOffset())
  const key = JSON.stringify([locale, navigator.languages, offsets, options])
  const formatter =
    formatters.get(key) ??
    new Intl.DateTimeFormat(locale, { numberingSystem: 'latn', ...options, ...clockOf(locale, options) })
  formatters.set(key, formatter)
  return formatter.format(at)
}

/** In a language that is not the device's own, 24 hours where the device's language counts so. */
function clockOf(
  locale: string,
  { hour, timeStyle }: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormatOptions | null {
  if (!(hour ?? timeStyle) || navigator.languages.some((tag) => tag.replace(/@.*/u, '') === locale))
    return null
  const device = new Intl.DateTimeFormat(
    findDeviceLocale(() => true),
    { hour: 'numeric' },
  ).resolvedOptions()
  return device.hour12 === false ? { hourCycle: 'h23' } : null
}

/** '7:42 PM', or '07:42': the language's usual form, as after a date or a weekday. */
export const formatTime = (at: number): string => formatDate(at, { timeStyle: 'short' })
