import { useCallback, useMemo, useRef } from 'react'
import { api } from '#contract/api.ts'
import { useApiCache } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { useToast } from '../../ui/toast/toast.tsx'
import { assignmentActions } from './assignments/assignment-actions.ts'
import { copyActions } from './assignments/copy-actions.ts'
import { patternActions } from './assignments/pattern-actions.ts'
import { crewActions } from './crew/crew-actions.ts'
import { useRestore } from './deleted/restore.tsx'
import type { FloorActions, ActionContext } from './floor-actions.ts'
import { sectionActions } from './sections/section-actions.ts'
import { tableActions } from './tables/table-actions.ts'
import { useBroadcast } from './use-broadcast.ts'
import { useReportError } from './use-report-error.ts'

export function useFloorActions(standId: string): FloorActions {
  const context = useActionContext()
  return useMemo(
    () => ({
      ...tableActions(context),
      ...crewActions(context),
      ...assignmentActions(context),
      ...copyActions(context, standId),
      ...patternActions(context, standId),
      ...sectionActions(context),
    }),
    [context, standId],
  )
}

export function useActionContext(): ActionContext {
  const cache = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const serialize = useSerialize()
  const restore = useRestore()
  const broadcastChange = useBroadcast('floor', () => {
    void cache.invalidate(
      api.crew.list,
      api.floor.tables,
      api.floor.assignmentsByDate,
      api.tables.plan,
      api.weeklyPattern.state,
    )
  })

  return useMemo(() => {
    function showSuccess(description: string, undo?: () => Promise<void>): void {
      const action = undo && { label: t('Undo'), onClick: () => void run('Failed to undo', undo) }
      toast({ title: t('Success'), description, ...(action && { action }) })
    }

    const showDone = (title: string): void => toast({ title })

    async function run(fallback: string, task: () => Promise<void>): ReturnType<ActionContext['run']> {
      try {
        await task()
        broadcastChange()
        // The overview counts the active tables of today, and what is set by hand leaves the weekly pattern.
        void cache.invalidate(api.analytics.overview, api.weeklyPattern.state)
        await cache.whenRendered()
        return 'done'
      } catch (error) {
        reportError(error, fallback)
        return 'failed'
      }
    }

    return { cache, run, showSuccess, showDone, reportError, serialize, broadcastChange, restore }
  }, [cache, toast, reportError, serialize, broadcastChange, restore])
}

function useSerialize(): <T>(task: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(async <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.current.then(task)
    last.current = result.catch(() => undefined)
    return result
  }, [])
}
