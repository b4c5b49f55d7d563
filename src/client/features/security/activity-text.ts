import { apiScopes } from '#contract/accounts/api-tokens.ts'
import { alarmSetLabels, type RestaurantSwitch } from '#contract/accounts/restaurants.ts'
import type { AuditDetail } from '#contract/audit.ts'
import { crewRoles } from '#contract/crew/crew.ts'
import { weekdayNames } from '#contract/floor/weekly-pattern.ts'
import { pauseReasonLabels } from '#contract/guests/pause-reasons.ts'
import { serviceTypeLabels, serviceTypes } from '#contract/requests/requests.ts'
import { planTitles } from '../../api/prices.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { formatTimeOfDay } from '../../lib/time/time-of-day.ts'
import { weekdayName } from '../../lib/time/weekdays.ts'

const maxShown = 6

/** What a change was about. It is stored in English, for the file. */
export const detailText = (detail: AuditDetail): string =>
  Object.entries(detail)
    .flatMap(([name, value]) => valueText(name, value))
    .join(' · ')

const restaurantSwitchLabels: Record<RestaurantSwitch, string> = {
  verifiedOnly: 'Verified codes only',
  pinRequired: 'PIN required',
  expectedTimes: 'Expected times',
  managerNotes: 'A word to the manager',
  seating: 'Seat tables',
}
const switchLabels: Record<string, string> = {
  ...restaurantSwitchLabels,
  alerts: 'Alerts that nobody answers',
  weeklyReport: 'Weekly report, on Mondays',
}

const needLabels = labelsOf([...Object.values(serviceTypeLabels), ...Object.values(pauseReasonLabels)])

/** The values that are words of the product, by the name of the detail. All others are what somebody wrote. */
const words: Record<string, Record<string, string>> = {
  role: labelsOf(crewRoles),
  plan: planTitles,
  scopes: apiScopes,
  alarmSet: alarmSetLabels,
  until: { revoked: 'Until it is revoked' },
  after: { never: 'Never' },
  kind: { email: 'Email' },
  who: { owner: 'Owner' },
  by: { link: 'By a link', email: 'By email', 'recovery-code': 'By a recovery code' },
  changed: {
    name: 'Crew Member Name',
    role: 'Role',
    section: 'Section',
    pin: 'PIN',
    username: 'Username',
    password: 'Password',
  },
}

/** What numbers count. */
const numberLabels: Record<string, string> = {
  requests: 'Requests, in days',
  messages: 'Messages, in days',
  log: 'Log of changes, in days',
  devicesSignedOut: 'Devices signed out',
  offHostStand: 'Days off the host stand',
}

function labelsOf(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label) => [label, label]))
}

function valueText(name: string, value: AuditDetail[string]): string[] {
  if (value === null || value === '') return []
  if (name === 'passwordChanged') return value === true ? [t('New Wi-Fi password')] : []
  if (typeof value === 'boolean') return switchText(name, value)
  if (typeof value === 'number') return [numberText(name, value)]
  if (!Array.isArray(value)) return [wordText(name, value)]
  return listText(name, value)
}

function listText(name: string, value: readonly string[]): string[] {
  if (value.length === 0) return []
  if (name === 'weekdays') return [value.map(weekdayText).join(', ')]
  if (name === 'hours') return [value.map(hoursText).join(' · ')]
  if (name === 'settings') return value.map(delaysText)
  const names = value
    .slice(0, maxShown)
    .map((each) => wordText(name, each))
    .join(name === 'scopes' ? ' · ' : ', ')
  const rest = value.length - maxShown
  return [rest > 0 ? t('{names} and {count} more', { names, count: rest }) : names]
}

function switchText(name: string, isOn: boolean): string[] {
  const label = switchLabels[name]
  if (isOn) return [t(label ?? name)]
  return label === undefined ? [] : [t('{name}: off', { name: t(label) })]
}

function numberText(name: string, value: number): string {
  const label = numberLabels[name]
  return label === undefined ? String(value) : `${t(label)}: ${value}`
}

function wordText(name: string, value: string): string {
  const label = words[name]?.[value.replaceAll(' ', '-')] ?? needLabels[value]
  if (label !== undefined) return t(label)
  if (name === 'until') return formatDate(new Date(value), { dateStyle: 'medium', timeStyle: 'short' })
  if (name === 'date') return formatDate(new Date(value), { dateStyle: 'medium', timeZone: 'UTC' })
  return name === 'sections' ? value.replace(/: nobody$/u, `: ${t('nobody')}`) : value
}

const delayTexts: [stored: RegExp, text: string][] = [
  [/^all crew after (.+)$/u, 'Everyone after: {times}'],
  [/^the manager after (.+)$/u, 'The manager after: {times}'],
  [/^an acceptance lasts (.+)$/u, 'Waits again after: {times}'],
]

/** `all crew after 40 s (general), 20 s (check)` */
function delaysText(setting: string): string {
  for (const [stored, text] of delayTexts) {
    const times = stored.exec(setting)?.[1]
    if (times !== undefined) return t(text, { times: withNeedLabels(times) })
  }
  return setting
}

const withNeedLabels = (times: string): string =>
  serviceTypes.reduce((text, type) => text.replace(`(${type})`, `(${t(serviceTypeLabels[type])})`), times)

const weekdayText = (name: string): string => weekdayName(weekdayNames.findIndex((each) => each === name))

/** Monday first: `Monday: 11:00–14:00`, `Tuesday: closed`. */
function hoursText(text: string, day: number): string {
  const times = text.slice(text.indexOf(' ') + 1)
  const shown = times.replaceAll(/\d\d:\d\d/gu, (time) => formatTimeOfDay(time))
  return `${weekdayName(day)}: ${times === 'closed' ? t('closed') : shown}`
}
