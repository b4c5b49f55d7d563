import { useCallback, useEffect, useMemo, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useApiCache } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { assignmentActions } from './assignments/assignment-actions.ts'
import { copyActions } from './assignments/copy-actions.ts'
import { crewActions } from './crew/crew-actions.ts'
import type { FloorActions, ActionContext } from './floor-actions.ts'
import { tableActions } from './tables/table-actions.ts'
import { useReportError } from './use-report-error.ts'

export function useFloorActions(standId: string): FloorActions {
  const context = useActionContext()
  return useMemo(
    () => ({
      ...tableActions(context),
      ...crewActions(context),
      ...assignmentActions(context),
      ...copyActions(context, standId),
    }),
    [context, standId],
  )
}

function useActionContext(): ActionContext {
  const cache = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const serialize = useSerialize()
  const broadcastChange = useBroadcast('floor', () => {
    void cache.invalidate(api.crew.list, api.floor.tables, api.floor.assignmentsByDate)
  })

  return useMemo(() => {
    function showSuccess(description: string, undo?: () => Promise<void>): void {
      const action = undo && { label: 'Undo', onClick: () => void run('Failed to undo', undo) }
      toast({ title: 'Success', description, ...(action && { action }) })
    }

    async function run(fallback: string, task: () => Promise<void>): ReturnType<ActionContext['run']> {
      try {
        await task()
        broadcastChange()
        // The overview counts the active tables of today.
        void cache.invalidate(api.analytics.overview)
        await cache.whenRendered()
        return 'done'
      } catch (error) {
        reportError(error, fallback)
        return 'failed'
      }
    }

    return { cache, run, showSuccess, reportError, serialize, broadcastChange }
  }, [cache, toast, reportError, serialize, broadcastChange])
}

function useSerialize(): <T>(task: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(async <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.current.then(task)
    last.current = result.catch(() => undefined)
    return result
  }, [])
}

/** Tells the browser's other tabs about a change, and calls back for theirs. */
function useBroadcast(subject: string, onChange: () => void): () => void {
  const channel = useRef<BroadcastChannel>(undefined)
  const listener = useRef(onChange)
  useEffect(() => {
    listener.current = onChange
  }, [onChange])
  useEffect(() => {
    const opened = new BroadcastChannel(subject)
    opened.addEventListener('message', () => listener.current())
    channel.current = opened
    return () => opened.close()
  }, [subject])
  return useCallback(() => channel.current?.postMessage('changed'), [])
}
