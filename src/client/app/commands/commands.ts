import type { OwnRestaurant } from '#contract/accounts/own-restaurants.ts'
import type { RestaurantSwitch } from '#contract/accounts/restaurants.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { sendsMail } from '../../lib/browser/page-settings.ts'
import { t } from '../../lib/texts/translate.ts'
import { addDays, formatDate } from '../../lib/time/dates.ts'

export type Role = 'owner' | 'manager'

/** Something to open or do: each leads to where it is done. */
export type Command = {
  id: string
  name: string
  /** What kind of thing it is, shown and searched beside the name. */
  kind: string
  path: string
}

type Entry = readonly [name: string, path: string]

const floor = '/admin-dashboard/floor'
const crew = '/admin-dashboard/crew'
const settings = '/admin-dashboard/settings'
const management = '/management-dashboard'

const managersPages: readonly Entry[] = [
  ['Management Portal', management],
  ['Analytics', `${management}/analytics`],
  ['Weekly report', `${management}/report`],
  ['Crew Dashboard', '/waiter'],
  ['Security', '/security'],
  ['Select Portal', '/portal-selection'],
]

const ownersPages: readonly Entry[] = [
  ['Owner home', '/dashboard'],
  ['Your restaurants', '/restaurants'],
  ['Get Set Up', '/admin'],
  ['Table Cards', '/admin/cards'],
  ['Walk the Floor', '/admin/cards/walk'],
  ['Try a Request', '/admin/try'],
  ['Subscription', '/subscribe'],
  ['Admin Portal', '/admin-dashboard'],
  ['Floor', floor],
  ['Crew', crew],
  ['Codes', '/admin-dashboard/codes'],
  ['Needs', '/admin-dashboard/needs'],
  ['Alerts', '/admin-dashboard/alerts'],
  ['Billing', '/admin-dashboard/billing'],
  ['People and access', '/admin-dashboard/people'],
  ['Settings', settings],
  ['Audit log', '/admin-dashboard/audit-log'],
]

const managersActions: readonly Entry[] = [
  ['Pause a need', `${management}#pauses`],
  ['Show the QR code', `${management}#qr-code`],
  ['Add a manager or change a password', `${management}#managers`],
  ['Sign a tablet or phone in with a code', '/security#devices'],
  ['Add a passkey', '/security#passkeys'],
  ['Set up an authenticator app', '/security#authenticator'],
  ['Save recovery codes', '/security#recovery-codes'],
  ['Sign out other browsers', '/security#sign-ins'],
  ['Compare two ranges of days', `${management}/analytics`],
  ['Download all events', `${management}/analytics`],
  ['Print the weekly report', `${management}/report`],
]

const switches: Record<RestaurantSwitch, string> = {
  verifiedOnly: 'Limit requests to printed codes',
  pinRequired: 'Require a PIN of everybody in the crew',
  expectedTimes: 'Tell guests how long it usually takes',
  managerNotes: 'Let guests write to the manager',
  seating: 'Let the crew open and close tables',
}

const ownersActions: readonly Entry[] = [
  ['Set up tables', floor],
  ['Add a table', `${floor}#tables`],
  ['Assign tables to the crew', `${floor}#tables`],
  ['Copy assignments from the day before, or to the week', floor],
  ['Repeat the assignments every week (weekly pattern)', floor],
  ['Divide the floor into sections', `${floor}#sections`],
  ['Make a table button', floor],
  ['Restore a deleted table', floor],
  ['Restore a deleted section', `${floor}#sections`],
  ['Add a crew member', crew],
  ['Set a crew member’s PIN or login', crew],
  ['Restore a deleted crew member', crew],
  ['Make the QR code', '/admin'],
  ['Print the table cards', '/admin/cards'],
  ['Put the logo on the table cards', '/admin/cards'],
  ['Write NFC tags', '/admin/cards'],
  ['Download every code as a file', '/admin/cards'],
  ['Replace a short link', '/admin/cards'],
  ['Check the printed codes', '/admin/cards/walk'],
  ['Change what guests can ask for', '/admin-dashboard/needs'],
  ['Change when and whom a request alerts (escalation)', '/admin-dashboard/alerts'],
  ['Alert somebody by e-mail, ntfy or webhook', '/admin-dashboard/alerts#outside'],
  ['Choose the sounds', '/admin-dashboard/alerts#sounds'],
  ['Get the weekly report by e-mail', '/admin-dashboard/alerts#outside'],
  ['Pay for a plan, or change it', '/subscribe'],
  ['Cancel the subscription', '/subscribe'],
  ['Set a manager’s password', '/admin-dashboard/people'],
  ['Restore a deleted manager', '/admin-dashboard/people'],
  ['Set a staff password', '/security#staff-password'],
  ['Change the restaurant’s password', '/admin-dashboard/people#restaurant-password'],
  ['Rename the restaurant', `${settings}#restaurant`],
  ['Change the time zone', `${settings}#restaurant`],
  ['Set the opening hours', `${settings}#opening-hours`],
  ['Change the guest card and the Wi-Fi', `${settings}#guest-card`],
  ...Object.values(switches).map((name): Entry => [name, `${settings}#guests`]),
  ['Add a restaurant', '/restaurants'],
  ['Change how long things are kept (retention)', `${settings}#retention`],
  ['Make a token for other software', '/admin-dashboard/people#api-tokens'],
  ['Download everything about the restaurant', `${settings}#all-data`],
  ['Delete the restaurant', `${settings}#delete`],
  ['See who changed what', '/admin-dashboard/audit-log'],
]

const changeEmail: Entry = ['Change email address', '/security#email-address']

const signOut: Entry = ['Sign Out', '/api/logout?returnTo=/restaurant-login']

const toCommands = (entries: readonly Entry[], kind: string): Command[] =>
  entries.map(([name, path]) => ({ id: `${path} ${name}`, name: t(name), kind, path }))

/** Every page and everything that can be done there. */
export function listCommands(role: Role): Command[] {
  const pages = role === 'owner' ? [...ownersPages, ...managersPages] : managersPages
  const onlyOwners = sendsMail() ? [...ownersActions, changeEmail] : ownersActions
  const actions = role === 'owner' ? [...onlyOwners, ...managersActions] : managersActions
  return [...toCommands(pages, t('Page')), ...toCommands([...actions, signOut], t('Action'))]
}

/** The others of an owner of several. Their page asks for one press more: a link may not change who is signed in. */
export const listRestaurants = (restaurants: readonly OwnRestaurant[]): Command[] =>
  restaurants
    .filter(({ isCurrent }) => !isCurrent)
    .map(({ id, restaurantName: name }) => ({
      id: `restaurant ${id}`,
      name: t('Open {restaurant}', { restaurant: name }),
      kind: t('Restaurant'),
      path: '/restaurants',
    }))

/** What an owner's restaurant consists of, and the days around today. */
export function listThings(
  tables: readonly Table[],
  people: readonly CrewMember[],
  today: string,
): Command[] {
  return [
    ...tables.map(({ id, tableNumber }) => ({
      id: `table ${id}`,
      name: t('Table {table}', { table: tableNumber }),
      kind: t('Table'),
      path: `${floor}?${new URLSearchParams({ find: tableNumber })}`,
    })),
    ...people.map(({ id, name, role }) => ({
      id: `person ${id}`,
      name,
      kind: t(role),
      path: `${crew}?${new URLSearchParams({ find: name })}`,
    })),
    ...daysAround.map((days) => {
      const date = addDays(today, days)
      return { id: `day ${date}`, name: dayName(date, today), kind: date, path: `${floor}?date=${date}` }
    }),
  ]
}

/** For managers: the figures of today and of the five weeks before. */
export const listFigureDays = (today: string): Command[] =>
  Array.from({ length: 36 }, (_, days) => {
    const date = addDays(today, -days)
    return {
      id: `figures ${date}`,
      name: dayName(date, today),
      kind: date,
      path: `${management}/analytics?day=${date}`,
    }
  })

/** Today and four weeks to come, then the week before. */
const daysAround = Array.from({ length: 36 }, (_, index) => (index < 29 ? index : 28 - index))

function dayName(date: string, today: string): string {
  const day = formatDate(new Date(`${date}T00:00:00Z`), {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  })
  if (date === today) return t('Today, {day}', { day })
  return date === addDays(today, 1) ? t('Tomorrow, {day}', { day }) : day
}

const mostShown = 30

/** Hyphens do not matter: "wifi", "email". */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Pd}]/gu, '')
    .toLowerCase()

/** How well a name suits the query: it is the query, or begins with it, or its words do. */
function rankOf(name: string, all: string, wanted: string, words: readonly string[]): number {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  return words.every((word) => ` ${all}`.includes(` ${word}`)) ? 2 : 3
}

/** The commands with all the words of the query, the best first. */
export function findCommands(commands: readonly Command[], query: string): Command[] {
  const wanted = fold(query.trim())
  const words = wanted.split(/\s+/u).filter(Boolean)
  const ranked = commands.flatMap((command, index) => {
    const name = fold(command.name)
    const all = `${name} ${fold(command.kind)}`
    if (!words.every((word) => all.includes(word))) return []
    return [{ command, rank: rankOf(name, all, wanted, words), index }]
  })
  return ranked
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, mostShown)
    .map(({ command }) => command)
}
