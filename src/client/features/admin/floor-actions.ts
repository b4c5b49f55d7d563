import type { CrewMember, NewCrewMember } from '#contract/crew.ts'
import type { Table, TableSetup } from '#contract/floor.ts'
import type { ApiCache } from '../../api/queries.ts'
import type { AssignmentChoice } from './assignments/crew-suggestions.ts'

export type Outcome = 'done' | 'failed'

/** What the owner changes on tables, crew and days; each action shows its outcome in a toast. */
export type FloorActions = {
  setUp: (setup: TableSetup) => Promise<Outcome>
  addTable: (tableNumber: string) => Promise<Outcome>
  /** `confirm`: the table has assignments, so the owner has to confirm. */
  removeTable: (table: Table, confirmed: boolean) => Promise<Outcome | 'confirm'>
  addCrew: (member: NewCrewMember) => Promise<Outcome>
  /** `undo`: whether the toast offers to add the member again. */
  removeCrew: (member: CrewMember, undo: boolean) => Promise<Outcome>
  assign: (
    date: string,
    table: Table,
    previous: CrewMember | undefined,
    choice: AssignmentChoice,
  ) => Promise<Outcome>
  setHosts: (date: string, previous: readonly string[], hosts: readonly string[]) => Promise<Outcome>
  copyFromPrevious: (date: string) => Promise<Outcome>
  copyToWeek: (date: string) => Promise<Outcome>
}

export type ActionContext = {
  cache: ApiCache
  /** Updates this screen and other tabs on success, and reports the error otherwise. */
  run: (fallback: string, task: () => Promise<void>) => Promise<Outcome>
  showSuccess: (description: string, undo?: () => Promise<void>) => void
  reportError: (error: unknown, fallback: string) => void
  /** Runs one task after the other, so that no reply is overwritten by an older one. */
  serialize: <T>(task: () => Promise<T>) => Promise<T>
  broadcastChange: () => void
}
