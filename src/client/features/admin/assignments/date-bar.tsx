import './date-bar.css'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type JSX, useDeferredValue, useId } from 'react'
import { api } from '#contract/api.ts'
import { useApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { addDays } from '../../../lib/time/dates.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { controlClass } from '../../../ui/form/field.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { toDayAssignments } from './day-assignments.ts'
import { formatDayOfMonth, formatMonthAndYear, formatWeekday, weekContaining } from './week.ts'

type DateBarProps = {
  today: string
  date: string
  onDate: (date: string) => void
  tables: number
  standId: string
  /** Whether the chosen day is loaded; the other days are loaded after it. */
  loaded: boolean
}

export function DateBar({ today, date, onDate, tables, standId, loaded }: DateBarProps): JSX.Element {
  const id = useId()
  // The tables come first.
  const areOthersDue = useDeferredValue(loaded, false)
  return (
    <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-full">
        <label htmlFor={id} className="mb-1 block font-semibold">
          {t('Assignment Date')}
        </label>
        <div className="date-bar -ms-2 flex items-center gap-1">
          <IconButton label={t('Previous day')} onClick={() => onDate(addDays(date, -1))}>
            <ChevronLeft aria-hidden className="rtl:rotate-180" />
          </IconButton>
          <input
            id={id}
            type="date"
            value={date}
            min="1000-01-02"
            max="2999-12-30"
            required
            onChange={({ target }) => {
              if (target.value !== '' && target.validity.valid) onDate(target.value)
            }}
            className={classNames(controlClass, 'max-w-44 min-w-0')}
          />
          <IconButton label={t('Next day')} onClick={() => onDate(addDays(date, 1))}>
            <ChevronRight aria-hidden className="rtl:rotate-180" />
          </IconButton>
        </div>
      </div>
      <ul
        aria-label={t('Days')}
        className="grid min-w-0 flex-1 basis-80 grid-cols-[repeat(auto-fit,minmax(2.25rem,1fr))] gap-1 max-sm:mx-[-12px] max-sm:gap-0.5"
      >
        {weekContaining(today, date).map((day) => (
          <li key={day} className="min-w-0">
            <DayButton
              {...{ day, tables, standId }}
              loaded={areOthersDue}
              isToday={day === today}
              chosen={day === date}
              onChoose={() => onDate(day)}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

type DayButtonProps = {
  day: string
  isToday: boolean
  chosen: boolean
  onChoose: () => void
  tables: number
  standId: string
  loaded: boolean
}

function DayButton(props: DayButtonProps): JSX.Element {
  const { day, isToday, chosen, onChoose, tables, standId, loaded } = props
  const { data } = useApiQuery(api.floor.assignmentsByDate, loaded ? { query: { date: day } } : null)
  const assigned = data && toDayAssignments(data, standId).tables.size
  return (
    <button
      type="button"
      aria-current={chosen ? 'date' : undefined}
      onClick={onChoose}
      className={classNames(
        'flex min-h-14 w-full flex-col items-center justify-center rounded-control border px-0.5 py-1 leading-tight',
        'press select-none',
        chosen ? 'border-text bg-text text-ground' : 'border-rule hover:border-rule-strong hover:bg-plate-2',
      )}
    >
      <span className={classNames('text-sm', isToday && 'font-bold underline underline-offset-4')}>
        {formatWeekday(day)}
      </span>{' '}
      <span className="font-display text-lg leading-6 font-bold">{formatDayOfMonth(day)}</span>
      <VisuallyHidden>
        {` ${formatMonthAndYear(day)}${isToday ? `, ${t('today')}` : ''}`}
        {assigned !== undefined &&
          tables > 0 &&
          `, ${t('{count} of {tables} tables assigned', { count: assigned, tables })}`}
      </VisuallyHidden>
      <span aria-hidden className="mt-0.5 h-1 w-8 max-w-full overflow-hidden rounded-full bg-rule">
        <span
          className={classNames('block h-full origin-left', chosen ? 'bg-ground' : 'bg-done')}
          style={{ width: `${tables > 0 && assigned ? Math.max(10, (assigned / tables) * 100) : 0}%` }}
        />
      </span>
    </button>
  )
}
