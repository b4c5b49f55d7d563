import { useCallback, useMemo, useRef } from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember, NewCrewMember } from '#contract/crew.ts'
import type { BulkAssignments, Table, TableSetup } from '#contract/floor.ts'
import { ApiError, call } from '../../api/http.ts'
import { type Reads, useReads } from '../../api/queries.ts'
import { addDays } from '../../lib/dates.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import { useToast } from '../../ui/toast.tsx'
import { copyOf, type Day, dayOf, wayBack } from './day.ts'
import { type Choice, memberNamed } from './suggestions.ts'
import { useFailure } from './use-failure.ts'
import { useOtherTabs } from './use-other-tabs.ts'

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

const { crew, floor } = api
const failedToAssign = 'Failed to update assignments'

export function useFloorActions(standId: string): FloorActions {
  const reads = useReads()
  const { toast } = useToast()
  const failed = useFailure()
  const inTurn = useTurns()
  const tellTabs = useOtherTabs('floor', () => {
    void reads.refresh(crew.list, floor.tables, floor.assignmentsByDate)
  })

  return useMemo(() => {
    const day = async (date: string): Promise<Day> =>
      dayOf(await reads.again(floor.assignmentsByDate, { query: { date } }), standId)

    function succeeded(description: string, undo?: () => Promise<void>): void {
      const action = undo && { label: 'Undo', onClick: () => void attempt('Failed to undo', undo) }
      toast({ title: 'Success', description, ...(action && { action }) })
    }

    async function attempt(otherwise: string, work: () => Promise<void>): Promise<Outcome> {
      try {
        await work()
        tellTabs()
        // The active tables of today are counted there.
        void reads.refresh(api.analytics.overview)
        await reads.shown()
        return 'done'
      } catch (problem) {
        failed(problem, otherwise)
        return 'failed'
      }
    }

    async function restore(date: string, before: Day): Promise<void> {
      const people = await reads.again(crew.list, {})
      const tables = await reads.again(floor.tables, {})
      const { assignments, hosts } = wayBack(before, await day(date), tables, people)
      await write(reads, date, assignments)
      await writeHosts(reads, date, hosts)
    }

    return {
      setUp: (setup) =>
        attempt('Failed to set up tables', async () => {
          reads.keep(floor.tables, {}, await call(floor.setUp, { body: setup }))
          succeeded('Tables set up successfully')
        }),

      addTable: (tableNumber) =>
        attempt('Failed to add table', async () => {
          keepTable(reads, await call(floor.addTable, { body: { tableNumber } }))
          succeeded('Table added successfully')
        }),

      async removeTable(table, confirmed) {
        const query = confirmed ? { confirm: 'true' as const } : {}
        let mustConfirm = false
        const outcome = await attempt('Failed to delete table', async () => {
          try {
            await call(floor.removeTable, { params: { id: table.id }, query })
          } catch (problem) {
            mustConfirm = !confirmed && problem instanceof ApiError && problem.status === 409
            if (mustConfirm) return
            throw problem
          }
          const rest = reads.known(floor.tables, {})?.filter(({ id }) => id !== table.id)
          if (rest) reads.keep(floor.tables, {}, rest)
          const addAgain = async (): Promise<void> =>
            keepTable(reads, await call(floor.addTable, { body: { tableNumber: table.tableNumber } }))
          succeeded('Table deleted successfully', confirmed ? undefined : addAgain)
          if (confirmed) await reads.refresh(floor.assignmentsByDate)
        })
        return mustConfirm ? 'confirm' : outcome
      },

      addCrew: (member) =>
        attempt('Failed to add crew member', async () => {
          keepMember(reads, await call(crew.add, { body: member }))
          succeeded('Crew member added')
        }),

      removeCrew: (member, undo) =>
        attempt('Failed to remove crew member', async () => {
          await call(crew.remove, { params: { id: member.id } })
          forgetMember(reads, member.id)
          const { name, role } = member
          const addAgain = async (): Promise<void> =>
            keepMember(reads, await call(crew.add, { body: { name, role } }))
          succeeded(`${name} removed`, undo ? addAgain : undefined)
          // Nobody waits for it: the next one may be removed meanwhile.
          void reads.refresh(floor.assignmentsByDate)
        }),

      assign: (date, table, was, choice) =>
        inTurn(async () => {
          const before = was?.id ?? null
          const set = (to: string | null, from: string | null) =>
            write(reads, date, [{ tableId: table.id, crewMemberId: to, was: from }])
          if (choice.kind === 'nobody') {
            return attempt(failedToAssign, async () => {
              await set(null, before)
              succeeded(`Nobody is assigned to table ${table.tableNumber}`, () => set(before, null))
            })
          }
          const known = choice.kind === 'member' ? choice.member : await nowNamed(reads, choice.name)
          if (known) return attempt(failedToAssign, () => set(known.id, before))
          if (choice.kind === 'member') return 'failed'
          let added: CrewMember | undefined
          const outcome = await attempt('Failed to add crew member', async () => {
            added = await call(crew.add, { body: { name: choice.name, role: 'Server' } })
            keepMember(reads, added)
          })
          const server = added
          if (!server) return outcome
          return attempt(failedToAssign, async () => {
            await set(server.id, before)
            succeeded(`${server.name} added and assigned`, async () => {
              await set(before, server.id)
              await call(crew.remove, { params: { id: server.id } })
              forgetMember(reads, server.id)
            })
          })
        }),

      setHosts: (date, was, hosts) =>
        inTurn(async () => {
          try {
            await writeHosts(reads, date, [...hosts], [...was])
            tellTabs()
            return 'done'
          } catch (problem) {
            void reads.refresh(floor.assignmentsByDate)
            failed(problem, 'Failed to update host stand assignments')
            return 'failed'
          }
        }),

      copyFromPrevious: (date) =>
        inTurn(() =>
          attempt('Failed to copy assignments', async () => {
            const [source, before] = [await day(addDays(date, -1)), await day(date)]
            const people = await reads.again(crew.list, {})
            const tables = await reads.again(floor.tables, {})
            const { assignments, hosts } = copyOf(source, tables, people)
            if (assignments.length + hosts.length === 0) {
              throw new ApiError(404, 'not_found', 'No assignments found for previous day')
            }
            if (assignments.length > 0) await write(reads, date, assignments)
            if (hosts.length > 0) await writeHosts(reads, date, hosts)
            succeeded('Assignments copied from previous day', () => restore(date, before))
          }),
        ),

      copyToWeek: (date) =>
        inTurn(() =>
          attempt('Failed to copy assignments to entire week', async () => {
            const days = [1, 2, 3, 4, 5, 6].map((after) => addDays(date, after))
            const before = await Promise.all(days.map(async (one) => [one, await day(one)] as const))
            await call(floor.copyToWeek, { body: { sourceDate: date } })
            await reads.refresh(floor.assignmentsByDate)
            succeeded('Copied assignments to all 7 days of the week', async () => {
              for (const [one, former] of before) await restore(one, former)
            })
          }),
        ),
    }
  }, [reads, toast, failed, inTurn, tellTabs, standId])
}

async function write(reads: Reads, date: string, assignments: BulkAssignments['assignments']): Promise<void> {
  const reply = await call(floor.assign, { body: { date, assignments } })
  reads.keep(floor.assignmentsByDate, { query: { date } }, reply)
}

async function writeHosts(reads: Reads, date: string, crewIds: string[], was?: string[]): Promise<void> {
  const reply = await call(floor.assignHostStand, { body: { date, crewIds, ...(was && { was }) } })
  reads.keep(floor.assignmentsByDate, { query: { date } }, reply)
}

function keepTable(reads: Reads, table: Table): void {
  const tables = [...(reads.known(floor.tables, {}) ?? []), table]
  reads.keep(
    floor.tables,
    {},
    tables.toSorted((a, b) => byTableNumber(a.tableNumber, b.tableNumber)),
  )
}

function keepMember(reads: Reads, member: CrewMember): void {
  const people = [...(reads.known(crew.list, {}) ?? []), member]
  reads.keep(
    crew.list,
    {},
    people.toSorted((a, b) => byTableNumber(a.name, b.name)),
  )
}

function forgetMember(reads: Reads, id: string): void {
  const rest = reads.known(crew.list, {})?.filter((member) => member.id !== id)
  if (rest) reads.keep(crew.list, {}, rest)
}

/** A colleague may have added the same person a moment ago. */
async function nowNamed(reads: Reads, name: string): Promise<CrewMember | undefined> {
  try {
    return memberNamed(name, await reads.again(crew.list, {}))
  } catch {
    return undefined
  }
}

/** One after the other: an answer must never be followed by an older one. */
function useTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.current.then(work)
    last.current = mine.catch(() => undefined)
    return mine
  }, [])
}
