import { api } from '#contract/api.ts'
import { ApiError, call } from '../../../api/http.ts'
import { t } from '../../../lib/texts/translate.ts'
import { weekdayName } from '../../../lib/time/weekdays.ts'
import type { ActionContext, FloorActions } from '../floor-actions.ts'
import { restoreDay, shownOn } from './copy-actions.ts'
import { formatLongDate } from './week.ts'

const { assignmentsByDate } = api.floor
const routes = api.weeklyPattern

type PatternActions = Pick<FloorActions, 'savePattern' | 'endPattern' | 'resumePattern' | 'clearDay'>

export function patternActions(context: ActionContext, standId: string): PatternActions {
  const { cache, run, showSuccess, serialize } = context

  async function change(
    route: typeof routes.resume | typeof routes.clearDay,
    date: string,
    was = shownOn(cache, date),
  ): Promise<{ undo: () => Promise<void> }> {
    const { before, origin, assignments } = await call(route, { body: { date, was } })
    cache.setData(assignmentsByDate, { query: { date } }, assignments)
    const restore = (): Promise<void> => restoreDay(cache, date, { before, after: assignments }, standId)
    return {
      async undo() {
        if (origin !== 'pattern') return await restore()
        await change(routes.resume, date, assignments).catch(async (error: unknown) => {
          // The day may have ended since.
          if (!(error instanceof ApiError && error.code === 'invalid')) throw error
          await restore()
        })
      },
    }
  }

  return {
    savePattern: (sourceDate, weekdays, was) =>
      serialize(() =>
        run('Failed to save the weekly pattern', async () => {
          await call(routes.save, { body: { sourceDate, weekdays: [...weekdays], was: [...was] } })
          await cache.invalidate(assignmentsByDate)
          showSuccess(t('Weekly pattern saved'))
        }),
      ),

    endPattern: (weekday) =>
      serialize(() =>
        run('Failed to end the weekly pattern', async () => {
          await call(routes.end, { body: { weekday } })
          await cache.invalidate(assignmentsByDate)
          showSuccess(t('{weekday} has no weekly pattern any more', { weekday: weekdayName(weekday) }))
        }),
      ),

    resumePattern: (date) =>
      serialize(() =>
        run('Failed to update assignments', async () => {
          const { undo } = await change(routes.resume, date)
          showSuccess(t('{day} follows the weekly pattern', { day: formatLongDate(date) }), undo)
        }),
      ),

    clearDay: (date) =>
      serialize(() =>
        run('Failed to update assignments', async () => {
          const { undo } = await change(routes.clearDay, date)
          showSuccess(t('Nobody is assigned on {day}', { day: formatLongDate(date) }), undo)
        }),
      ),
  }
}
