import type { CrewMember, NewCrewMember } from '#contract/crew.ts'
import type { Table, TableSetup } from '#contract/floor.ts'
import type { Reads } from '../../api/queries.ts'
import type { Choice } from './suggestions.ts'

export type Outcome = 'done' | 'failed'

/** What the owner does to tables, crew and days: each says in a toast how it ended. */
export type FloorActions = {
  setUp: (setup: TableSetup) => Promise<Outcome>
  addTable: (tableNumber: string) => Promise<Outcome>
  /** `confirm`: it has assignments, and goes only when the owner says so. */
  removeTable: (table: Table, confirmed: boolean) => Promise<Outcome | 'confirm'>
  addCrew: (member: NewCrewMember) => Promise<Outcome>
  /** With `undo` nothing is lost but the name. */
  removeCrew: (member: CrewMember, undo: boolean) => Promise<Outcome>
  assign: (date: string, table: Table, was: CrewMember | undefined, choice: Choice) => Promise<Outcome>
  setHosts: (date: string, was: readonly string[], hosts: readonly string[]) => Promise<Outcome>
  copyFromPrevious: (date: string) => Promise<Outcome>
  copyToWeek: (date: string) => Promise<Outcome>
}

/** What every action works with. */
export type FloorWork = {
  reads: Reads
  /** Brings this screen and other tabs up to date when it went well, and says what is wrong when it did not. */
  attempt: (otherwise: string, work: () => Promise<void>) => Promise<Outcome>
  succeeded: (description: string, undo?: () => Promise<void>) => void
  failed: (problem: unknown, otherwise: string) => void
  /** One after the other: an answer must never be followed by an older one. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  tellTabs: () => void
}
