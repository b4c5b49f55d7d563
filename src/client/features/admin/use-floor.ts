import { useCallback, useMemo, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useReads } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { assignmentActions } from './assignment-actions.ts'
import { copyActions } from './copy-actions.ts'
import { crewActions } from './crew-actions.ts'
import type { FloorActions, FloorWork } from './floor-actions.ts'
import { tableActions } from './table-actions.ts'
import { useFailure } from './use-failure.ts'
import { useOtherTabs } from './use-other-tabs.ts'

export function useFloorActions(standId: string): FloorActions {
  const work = useFloorWork()
  return useMemo(
    () => ({
      ...tableActions(work),
      ...crewActions(work),
      ...assignmentActions(work),
      ...copyActions(work, standId),
    }),
    [work, standId],
  )
}

function useFloorWork(): FloorWork {
  const reads = useReads()
  const { toast } = useToast()
  const failed = useFailure()
  const inTurn = useTurns()
  const tellTabs = useOtherTabs('floor', () => {
    void reads.refresh(api.crew.list, api.floor.tables, api.floor.assignmentsByDate)
  })

  return useMemo(() => {
    function succeeded(description: string, undo?: () => Promise<void>): void {
      const action = undo && { label: 'Undo', onClick: () => void attempt('Failed to undo', undo) }
      toast({ title: 'Success', description, ...(action && { action }) })
    }

    async function attempt(otherwise: string, work: () => Promise<void>): ReturnType<FloorWork['attempt']> {
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

    return { reads, attempt, succeeded, failed, inTurn, tellTabs }
  }, [reads, toast, failed, inTurn, tellTabs])
}

function useTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.current.then(work)
    last.current = mine.catch(() => undefined)
    return mine
  }, [])
}
