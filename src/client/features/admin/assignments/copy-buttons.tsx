import CalendarRange from 'lucide-react/icons/calendar-range'
import Copy from 'lucide-react/icons/copy'
import { type JSX, useState } from 'react'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import type { FloorActions } from '../floor-actions.ts'
import type { DayAssignments } from './day-assignments.ts'

export function CopyButtons({
  date,
  day,
  actions,
}: {
  date: string
  day: DayAssignments | null
  actions: FloorActions
}): JSX.Element {
  const [copying, setCopying] = useState<'day' | 'week' | null>(null)
  const [busy, run] = useTask()
  const isEmpty = day === null || day.tables.size + day.hosts.length === 0

  function copy(what: 'day' | 'week'): void {
    void run(async () => {
      setCopying(what)
      await (what === 'day' ? actions.copyFromPrevious(date) : actions.copyToWeek(date))
      setCopying(null)
    })
  }

  return (
    <div className="flex flex-wrap gap-3">
      <Button
        icon={<Copy aria-hidden size={18} />}
        disabled={busy || day === null}
        pending={busy && copying === 'day'}
        onClick={() => copy('day')}
      >
        {t('Copy from Previous Day')}
      </Button>
      <Button
        icon={<CalendarRange aria-hidden size={18} />}
        disabled={busy || isEmpty}
        pending={busy && copying === 'week'}
        onClick={() => copy('week')}
      >
        {t('Copy to Week')}
      </Button>
    </div>
  )
}
