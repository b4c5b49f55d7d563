import type { CrewMember, NewCrewMember } from '#contract/crew/crew.ts'
import type { Table, TableAssignment, TableSetup } from '#contract/floor/floor.ts'
import type { FloorArrangement, Section, SectionAssignments } from '#contract/floor/sections.ts'
import type { ApiCache } from '../../api/queries.ts'
import type { AssignmentChoice } from './assignments/crew-suggestions.ts'
import type { Deleted } from './deleted/deleted-items.ts'

export type Outcome = 'done' | 'failed'

/** What the owner changes on tables, crew and days; each action shows its outcome in a toast. */
export type FloorActions = {
  setUp: (setup: TableSetup) => Promise<Outcome>
  addTable: (tableNumber: string) => Promise<Outcome>
  /** An object: guests wait there or somebody works there, so the owner has to confirm. */
  removeTable: (table: Table, confirmed: boolean) => Promise<Outcome | { confirm: string }>
  addCrew: (member: NewCrewMember) => Promise<Outcome>
  removeCrew: (member: CrewMember) => Promise<Outcome>
  assign: (
    date: string,
    table: Table,
    previous: CrewMember | undefined,
    choice: AssignmentChoice,
  ) => Promise<Outcome>
  setHosts: (date: string, previous: readonly string[], hosts: readonly string[]) => Promise<Outcome>
  copyFromPrevious: (date: string) => Promise<Outcome>
  copyToWeek: (date: string) => Promise<Outcome>
  /** `was`: what this screen shows on the day that becomes the pattern. */
  savePattern: (
    sourceDate: string,
    weekdays: readonly number[],
    was: readonly TableAssignment[],
  ) => Promise<Outcome>
  endPattern: (weekday: number) => Promise<Outcome>
  resumePattern: (date: string) => Promise<Outcome>
  clearDay: (date: string) => Promise<Outcome>
  addSection: (name: string) => Promise<Outcome>
  renameSection: (section: Section, name: string) => Promise<Outcome>
  reorderSections: (ids: readonly string[]) => Promise<Outcome>
  removeSection: (section: Section) => Promise<Outcome>
  /** Tables to a section or to places on the map. The message, if any, offers to undo it. */
  arrangeTables: (changes: FloorArrangement['tables'], message?: string) => Promise<Outcome>
  /** `was`: what this screen shows at the tables of the sections. */
  assignSections: (
    date: string,
    pairs: SectionAssignments['sections'],
    was: readonly TableAssignment[],
    message: string,
  ) => Promise<Outcome>
}

export type ActionContext = {
  cache: ApiCache
  /** Updates this screen and other tabs on success, and reports the error otherwise. */
  run: (fallback: string, task: () => Promise<void>) => Promise<Outcome>
  showSuccess: (description: string, undo?: () => Promise<void>) => void
  /** That nothing was left to do. */
  showDone: (title: string) => void
  reportError: (error: unknown, fallback: string) => void
  /** Runs one task after the other, so that no reply is overwritten by an older one. */
  serialize: <T>(task: () => Promise<T>) => Promise<T>
  broadcastChange: () => void
  restore: (deleted: Deleted) => Promise<void>
}
