import { useCallback, useMemo, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useApiCache } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { assignmentActions } from './assignments/assignment-actions.ts'
import { copyActions } from './assignments/copy-actions.ts'
import { crewActions } from './crew/crew-actions.ts'
import type { FloorActions, ActionContext } from './floor-actions.ts'
import { tableActions } from './tables/table-actions.ts'
import { useErrorToast } from './use-failure.ts'
import { useBroadcast } from './use-broadcast.ts'

export function useFloorActions(standId: string): FloorActions {
  const work = useActionContext()
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

function useActionContext(): ActionContext {
  const cache = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const serialize = useSerialize()
  const broadcastChange = useBroadcast('floor', () => {
    void cache.invalidate(api.crew.list, api.floor.tables, api.floor.assignmentsByDate)
  })

  return useMemo(() => {
    function showSuccess(description: string, undo?: () => Promise<void>): void {
      const action = undo && { label: 'Undo', onClick: () => void run('Failed to undo', undo) }
      toast({ title: 'Success', description, ...(action && { action }) })
    }

    async function run(fallback: string, work: () => Promise<void>): ReturnType<ActionContext['run']> {
      try {
        await work()
        broadcastChange()
        // The active tables of today are counted there.
        void cache.invalidate(api.analytics.overview)
        await cache.whenRendered()
        return 'done'
      } catch (problem) {
        showError(problem, fallback)
        return 'failed'
      }
    }

    return { cache, run, showSuccess, showError, serialize, broadcastChange }
  }, [cache, toast, showError, serialize, broadcastChange])
}

function useSerialize(): <T>(work: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.current.then(work)
    last.current = mine.catch(() => undefined)
    return mine
  }, [])
}
