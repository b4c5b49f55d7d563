import { api } from '#contract/api.ts'
import { Setting } from '../availability.ts'
import type { Tablet } from '../tablet.ts'
import type { Browser } from '../wire.ts'
import { Manager } from './manager.ts'

/** Who looks after the tables, and who may manage, where that changes. */
export type Shifts = {
  sectionIds: string[]
  /** Who is assigned to each table, by its number; empty for nobody. */
  inCharge: Map<string, Setting<string>>
  /** Whose requests have been handed over, when. */
  handedOver: { from: string; at: number }[]
  /** Whose PIN was guessed. */
  guessed: string[]
  manager: Manager
}

type Opened = { name: string; owner: Browser; tableIds: string[]; tablets: Tablet[]; assigned: boolean }

/** Two sections, in which the tables take turns, and a manager. */
export async function openShifts(
  { name, owner, tableIds, tablets, assigned }: Opened,
  browser: Browser,
  now: () => number,
): Promise<Shifts> {
  const sectionIds: string[] = []
  for (const section of ['Terrace', 'Hall'])
    sectionIds.push((await owner.ok(api.sections.add, { body: { name: section } })).id)
  const tables = tableIds.map((tableId, index) => ({ tableId, sectionId: sectionIds[index % 2] ?? null }))
  await owner.ok(api.sections.arrange, { body: { tables } })
  const inCharge = tableIds.map((_, index) => {
    const member = assigned ? tablets[index % tablets.length]?.crewMemberId : undefined
    return [`${index + 1}`, new Setting(member ?? '')] as const
  })
  const manager = new Manager(browser, name, now)
  return { sectionIds, inCharge: new Map(inCharge), handedOver: [], guessed: [], manager }
}
