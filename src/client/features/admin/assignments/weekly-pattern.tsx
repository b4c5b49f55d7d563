import './date-bar.css'
import CalendarOff from 'lucide-react/icons/calendar-off'
import CalendarSync from 'lucide-react/icons/calendar-sync'
import Repeat from 'lucide-react/icons/repeat'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { type JSX, useId, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { TableAssignment } from '#contract/floor/floor.ts'
import { NewPattern, type PatternState, weekdayNames } from '#contract/floor/weekly-pattern.ts'
import { parse } from '#contract/parse.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { weekdayName, weekdayOf } from '../../../lib/time/weekdays.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { formatLongDate } from './week.ts'

type WeeklyPatternProps = {
  today: string
  date: string
  /** The assignments of the chosen day; undefined until loaded. */
  assignments: readonly TableAssignment[] | undefined
  actions: FloorActions
}

/** Whether the chosen day follows the weekly pattern, and what can be done about it. */
export function WeeklyPattern({ today, date, assignments: shown, actions }: WeeklyPatternProps): JSX.Element {
  const assignments = shown ?? []
  const { data: state } = useFreshApiQuery(api.weeklyPattern.state, { query: { date } })
  const weekdays = useLastKnown(state?.weekdays) ?? noWeekdays
  const [busy, run] = useTask()
  const ending = useDialog<number>()
  const group = useRef<HTMLDivElement>(null)
  const weekday = weekdayOf(date)
  const isEmpty = assignments.length === 0
  const repeats = state?.weekdays.includes(weekday) ?? false
  const isOver = date < today
  const originId = useId()

  /** The pressed button is gone or disabled afterwards. */
  async function change(action: Promise<unknown>): Promise<void> {
    await action
    const focused = document.activeElement
    if (focused === document.body || focused?.matches(':disabled'))
      group.current?.focus({ preventScroll: true })
  }

  return (
    <div
      ref={group}
      role="group"
      tabIndex={-1}
      aria-label={t('Weekly pattern')}
      className="flex flex-col gap-3 outline-none"
    >
      {weekdays.length > 0 && (
        <p
          data-longest={t('Set by hand: the weekly pattern leaves this day alone')}
          className="pattern-origin text-text-mute"
        >
          <span id={originId} className="flex items-start gap-2">
            {state?.day === 'pattern' && <Repeat aria-hidden size={18} className="shrink-0" />}
            {state && describe(state, weekday)}
          </span>
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        <SaveDialog
          key={date}
          {...{ date, state, assignments, actions }}
          trigger={
            <Button icon={<CalendarSync aria-hidden size={18} />} disabled={isEmpty || state === undefined}>
              {t('Save as Weekly Pattern')}
            </Button>
          }
        />
        {/* All of them on every day, so that none moves from under a finger when another day is chosen. */}
        {weekdays.length > 0 && (
          <>
            <Button
              icon={<RotateCcw aria-hidden size={18} />}
              disabled={shown === undefined || state?.day !== 'hand' || isOver || busy}
              aria-describedby={originId}
              onClick={() => void run(() => change(actions.resumePattern(date)))}
            >
              {t('Back to the Pattern')}
            </Button>
            <Button
              icon={<CalendarOff aria-hidden size={18} />}
              disabled={!repeats || isEmpty || isOver || busy}
              aria-describedby={originId}
              onClick={() => void run(() => change(actions.clearDay(date)))}
            >
              {t('Nobody on This Day')}
            </Button>
            <Button
              variant="quiet"
              disabled={!repeats}
              aria-describedby={originId}
              onClick={() => ending.open(weekday)}
            >
              {t('End the Pattern')}
            </Button>
          </>
        )}
      </div>
      <RemoveDialog
        dialog={ending}
        title={t('End the weekly pattern for {weekday}?', { weekday: weekdayName(ending.subject ?? 0) })}
        description={t(
          'Nobody is assigned any more on the days that it has filled, except today. Days set by hand stay as they are.',
        )}
        confirmLabel={t('End the Pattern')}
        remove={actions.endPattern}
        finalFocus={() => group.current}
      />
    </div>
  )
}

const noWeekdays: readonly number[] = []

/** What the day before had, until the answer for this one is here. */
function useLastKnown<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(() => value)
  return value ?? last
}

function describe({ weekdays, day }: PatternState, weekday: number): string {
  if (weekdays.length === 0) return ''
  if (!weekdays.includes(weekday))
    return t('No weekly pattern for {weekday}', { weekday: weekdayName(weekday) })
  if (day === 'pattern') return t('From the weekly pattern')
  return day === 'hand' ? t('Set by hand: the weekly pattern leaves this day alone') : ''
}

type SaveDialogProps = {
  date: string
  state: PatternState | undefined
  assignments: readonly TableAssignment[]
  actions: FloorActions
  trigger: JSX.Element
}

function SaveDialog({ trigger, ...rest }: SaveDialogProps): JSX.Element {
  const dialog = useDialog()
  const [busy, run] = useTask()
  const { date, assignments, actions } = rest
  const showError = useErrorToast()

  async function save(weekdays: number[]): Promise<void> {
    const parsed = parse(NewPattern, { sourceDate: date, weekdays })
    if (!parsed.ok) return showError(parsed.message)
    if ((await actions.savePattern(date, weekdays, assignments)) === 'done') dialog.close()
  }

  return (
    <Dialog
      title={t('Weekly pattern')}
      description={t(
        'Whoever works on {day} has the same tables on these weekdays from now on. Days set by hand stay as they are, and so does today once somebody is assigned.',
        { day: formatLongDate(date) },
      )}
      {...dialog.props}
      trigger={trigger}
    >
      <WeekdaysForm {...rest} busy={busy} onSave={(weekdays) => void run(() => save(weekdays))} />
    </Dialog>
  )
}

type WeekdaysFormProps = Pick<SaveDialogProps, 'date' | 'state'> & {
  busy: boolean
  onSave: (weekdays: number[]) => void
}

function WeekdaysForm({ date, state, busy, onSave }: WeekdaysFormProps): JSX.Element {
  const all = weekdayNames.map((_, weekday) => weekday)
  const [chosen, setChosen] = useState<number[]>([weekdayOf(date)])
  const choose = (weekday: number, isChosen: boolean): void =>
    setChosen(all.filter((each) => (each === weekday ? isChosen : chosen.includes(each))))
  return (
    <form
      noValidate
      className="flex flex-col items-start gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(chosen)
      }}
    >
      <fieldset className="min-w-0">
        <legend className="font-semibold">{t('Repeat on')}</legend>
        <Checkbox
          label={t('Every day')}
          checked={chosen.length === all.length}
          onChange={({ target }) => setChosen(target.checked ? all : [])}
        />
        {all.map((weekday) => (
          <Checkbox
            key={weekday}
            label={
              state?.weekdays.includes(weekday)
                ? t('{weekday} (replaces its pattern)', { weekday: weekdayName(weekday) })
                : weekdayName(weekday)
            }
            checked={chosen.includes(weekday)}
            onChange={({ target }) => choose(weekday, target.checked)}
          />
        ))}
      </fieldset>
      <Button type="submit" variant="primary" pending={busy} pendingLabel={t('Saving…')}>
        {t('Save Pattern')}
      </Button>
    </form>
  )
}
