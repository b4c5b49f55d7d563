import { api } from '#contract/api.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import { localDate } from '../../../src/client/lib/time/dates.ts'
import type { TestApp, TestBrowser } from '../app.ts'

export type Restaurant = Awaited<ReturnType<TestApp['restaurant']>>
/** A restaurant with the ids of its crew, by name. */
export type BusyRestaurant = Restaurant & { ids: Record<string, string> }

export const today = localDate(Date.now())

/** Tables 1 to 12, three Servers and two Hosts. */
export async function busyRestaurant(app: TestApp): Promise<BusyRestaurant> {
  const restaurant = await app.restaurant({
    tables: Array.from({ length: 12 }, (_, index) => String(index + 1)),
  })
  const ids: Record<string, string> = {}
  for (const name of ['Maya Chen', 'Tom Novak', 'Tamara Bell'])
    ids[name] = (await addCrew(restaurant.owner, name)).id
  for (const name of ['Ana Ruiz', 'Ben Host']) ids[name] = (await addCrew(restaurant.owner, name, 'Host')).id
  return { ...restaurant, ids }
}

export async function addCrew(owner: TestBrowser, name: string, role: CrewRole = 'Server') {
  return await owner.ok(api.crew.add, { body: { name, role } })
}

/** Assigns tables on a day: the table's number to the member's name, or '' for nobody. */
export async function assignTables(
  { owner, ids }: BusyRestaurant,
  date: string,
  pairs: Record<string, string>,
): Promise<void> {
  const tables = await owner.ok(api.floor.tables, {})
  const idOf = (number: string): string => tables.find(({ tableNumber }) => tableNumber === number)?.id ?? ''
  await owner.ok(api.floor.assign, {
    body: {
      date,
      assignments: Object.entries(pairs).map(([number, name]) => ({
        tableId: idOf(number),
        crewMemberId: ids[name] ?? null,
      })),
    },
  })
}

/** Assigns the restaurant's first table, on the day of the server's clock. */
export async function assignFirstTable(
  app: TestApp,
  { owner }: Pick<Restaurant, 'owner'>,
  crewMemberId: string,
): Promise<void> {
  const [table] = await owner.ok(api.floor.tables, {})
  const date = new Date(app.now()).toISOString().slice(0, 10)
  await owner.ok(api.floor.assign, {
    body: { date, assignments: [{ tableId: table?.id ?? '', crewMemberId }] },
  })
}

/** The assignments of a day: the table's number and the member's name. */
export async function assignmentsOf(
  { owner }: Pick<Restaurant, 'owner'>,
  date = today,
): Promise<Record<string, string>> {
  const tables = [...(await owner.ok(api.floor.tables, {})), await owner.ok(api.floor.hostStand, {})]
  const crew = await owner.ok(api.crew.list, {})
  const rows = await owner.ok(api.floor.assignmentsByDate, { query: { date } })
  const numbers = new Map(tables.map(({ id, tableNumber }) => [id, tableNumber]))
  const names = new Map(crew.map(({ id, name }) => [id, name]))
  const found: Record<string, string> = {}
  for (const { tableId, crewMemberId } of rows) {
    const number = numbers.get(tableId) ?? tableId
    found[number] = [found[number], names.get(crewMemberId) ?? crewMemberId].filter(Boolean).join(', ')
  }
  return found
}

export const tableNumbers = async ({ owner }: Pick<Restaurant, 'owner'>): Promise<string[]> =>
  (await owner.ok(api.floor.tables, {})).map(({ tableNumber }) => tableNumber)

/** The numbers of the tables in each section, as stored. */
export async function tablesBySection({
  owner,
}: Pick<Restaurant, 'owner'>): Promise<Record<string, string[]>> {
  const { sections, tables } = await owner.ok(api.tables.plan, {})
  return Object.fromEntries(
    sections.map(({ id, name }) => [
      name,
      tables.filter(({ sectionId }) => sectionId === id).map(({ tableNumber }) => tableNumber),
    ]),
  )
}
