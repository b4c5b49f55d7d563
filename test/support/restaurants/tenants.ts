import { api } from '#contract/api.ts'
import type { CrewMember, CrewRole } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import type { Section } from '#contract/floor/sections.ts'
import type { Principal } from '#contract/permissions.ts'
import type { Schema } from '../../../src/server/storage/schema.ts'
import { password, type TestApp, type TestBrowser } from '../app.ts'

/** A browser that is both the owner's and a device, as after sign-up, is a separate principal. */
export const principals = ['guest', 'device', 'crew', 'manager', 'owner', 'owner+device'] as const
export type PrincipalName = (typeof principals)[number]
export const grantsOf = (who: PrincipalName): Principal[] =>
  who === 'owner+device' ? ['guest', 'device', 'owner'] : who === 'guest' ? ['guest'] : ['guest', who]

export const assignmentDay = '2027-03-01'

/** A restaurant with some of every kind of data, and everybody who may use it. */
export type Tenant = {
  id: string
  name: string
  /** The crew member that the crew login acts as. */
  member: CrewMember
  colleague: CrewMember
  host: CrewMember
  table: Table
  section: Section
  hostStand: Table
  /** The browser that is owner and device; it prepares the data for the others. */
  owner: TestBrowser
  /** A browser that has just signed in. */
  enter: (who: PrincipalName) => Promise<TestBrowser>
  /** The current manager's and the crew member's login. */
  usernames: { manager: string; crew: string }
}

export async function startTenant(app: TestApp, name: string): Promise<Tenant> {
  const [word = ''] = name.split(' ')
  const owner = app.browser()
  await app.forgetNewNames()
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName: name, email: `${word}@example.com`, password, timeZone: 'UTC' },
  })
  const [table] = await owner.ok(api.floor.setUp, {
    body: { setupType: 'custom', customTables: [`${word} 1`, `${word} 2`] },
  })
  if (!table) throw new Error('No table was set up')
  const hostStand = await owner.ok(api.floor.hostStand, {})
  const add = (person: string, role: CrewRole) =>
    owner.ok(api.crew.add, { body: { name: `${person} of ${word}`, role } })
  const [member, colleague, host] = [
    await add('Maya', 'Server'),
    await add('Tom', 'Busser'),
    await add('Ana', 'Host'),
  ]
  const usernames = { manager: `manager ${word}`, crew: `maya ${word}` }
  await owner.ok(api.crew.change, {
    params: { id: member.id },
    body: { username: usernames.crew, password },
  })
  await owner.ok(api.managers.setCredentials, { body: { username: usernames.manager, password } })
  await owner.ok(api.floor.assign, {
    body: { date: assignmentDay, assignments: [{ tableId: table.id, crewMemberId: member.id }] },
  })
  const section = await owner.ok(api.sections.add, { body: { name: `${word} terrace` } })
  await owner.ok(api.sections.arrange, { body: { tables: [{ tableId: table.id, sectionId: section.id }] } })
  const id = await app.idOf({ name })

  async function enter(who: PrincipalName): Promise<TestBrowser> {
    const browser = app.browser()
    if (who.includes('device')) {
      await browser.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    }
    if (who.includes('owner'))
      await browser.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    if (who === 'crew') {
      await browser.ok(api.accounts.crewLogin, { body: { username: usernames.crew, password } })
    }
    if (who === 'manager') {
      await browser.ok(api.managers.login, {
        body: { restaurantName: name, username: usernames.manager, password },
      })
    }
    return browser
  }
  return { id, name, member, colleague, host, table, section, hostStand, owner, enter, usernames }
}

/** Tables whose rows belong to a restaurant, without sessions and what the server records by itself. */
const restaurantTables = [
  'restaurantName',
  'owner',
  'membership',
  'manager',
  'crewMember',
  'floorTable',
  'section',
  'mutedTable',
  'managerNote',
  'tableSeating',
  'tableButton',
  'apiToken',
  'shortLink',
  'tableAssignment',
  'weeklyPattern',
  'patternAssignment',
  'plannedDay',
  'deletedItem',
  'deletedAssignment',
  'serviceRequest',
  'requestEvent',
  'roleCall',
  'crewBreak',
  'alertSetting',
  'outsideAlertSetting',
  'outsideChannel',
  'guestVisit',
  'deviceCode',
  'teamMessage',
  'pushSubscription',
  'qrCode',
  'recoveryCode',
  'passwordReset',
  'passkey',
  'ownerNotice',
  'paymentCustomer',
  'paymentAttempt',
  'subscription',
] as const satisfies (keyof Schema)[]

/** Columns that change with time alone, by escalation, pushes and outside alerts. */
const timeDrivenColumns = new Set([
  'level',
  'nextLevelAt',
  'acceptUntil',
  'alerts',
  'nextAlertAt',
  'pushedLevel',
  'pushDueAt',
  'nextAt',
  'leasedUntil',
  'failing',
  'failures',
  'lastAt',
  'lastProblem',
])
const withoutTime = (row: object) => Object.entries(row).filter(([name]) => !timeDrivenColumns.has(name))
const isDoneByPerson = (row: object): boolean => !('actorKind' in row && row.actorKind === 'system')

/** Everything that is stored for a restaurant, for comparison with a later state. */
export async function snapshotTenant(app: TestApp, restaurantId: string): Promise<unknown> {
  const db = app.ctx.db.reader
  const rows = await Promise.all(
    restaurantTables.map(async (table) => [
      table,
      (await db.selectFrom(table).selectAll().where('restaurantId', '=', restaurantId).execute())
        .filter(isDoneByPerson)
        .map((row) => JSON.stringify(withoutTime(row)))
        .toSorted(),
    ]),
  )
  const itself = await db.selectFrom('restaurant').selectAll().where('id', '=', restaurantId).execute()
  return Object.fromEntries([...rows, ['restaurant', itself]])
}
