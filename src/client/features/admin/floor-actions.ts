import type { CrewMember, NewCrewMember } from '#contract/crew.ts'
import type { Table, TableSetup } from '#contract/floor.ts'
import type { ApiCache } from '../../api/queries.ts'
import type { AssignmentChoice } from './assignments/crew-suggestions.ts'

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
  assign: (
    date: string,
    table: Table,
    was: CrewMember | undefined,
    choice: AssignmentChoice,
  ) => Promise<Outcome>
  setHosts: (date: string, was: readonly string[], hosts: readonly string[]) => Promise<Outcome>
  copyFromPrevious: (date: string) => Promise<Outcome>
  copyToWeek: (date: string) => Promise<Outcome>
}

/** What every action works with. */
export type ActionContext = {
  cache: ApiCache
  /** Brings this screen and other tabs up to date when it went well, and says what is wrong when it did not. */
  run: (fallback: string, work: () => Promise<void>) => Promise<Outcome>
  showSuccess: (description: string, undo?: () => Promise<void>) => void
  showError: (problem: unknown, fallback: string) => void
  /** One after the other: an answer must never be followed by an older one. */
  serialize: <T>(work: () => Promise<T>) => Promise<T>
  broadcastChange: () => void
}
