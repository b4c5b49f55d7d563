import './my-tables.css'
import { type JSX, memo, useId } from 'react'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatElapsed } from '../../../lib/time/dates.ts'
import { isLongName } from '../../../ui/requests/table-number.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import { heatTimes, useHeat } from '../heat.ts'
import { useRequestsOnScreen } from '../requests/requests-provider.tsx'

const none: readonly ServiceRequest[] = []

/** The crew member's tables of today, each as hot as its guests, and how long they have been seated. */
export function MyTables({ tables, me }: { tables: readonly string[]; me: string }): JSX.Element | null {
  const { open } = useRequestsOnScreen()
  const heading = useId()
  const { data: seating } = useApiQuery(api.seating.list, tables.length === 0 ? null : {})
  if (tables.length === 0) return null
  const seatedAt = new Map(
    seating?.on ? seating.tables.map((table) => [table.tableNumber, table.seatedAt]) : [],
  )
  const byTable = Map.groupBy(open, ({ tableNumber }) => tableNumber)
  return (
    <div className="my-tables">
      <h3 id={heading}>{t('My tables')}</h3>
      <ul aria-labelledby={heading}>
        {tables.map((table) => {
          const requests = byTable.get(table) ?? none
          const accepted = requests.filter(({ acceptedBy }) => acceptedBy?.id === me)
          const { warmAt, lateAt } = heatTimes(requests)
          return (
            <Chip
              key={table}
              {...{ table, warmAt, lateAt }}
              seatedAt={seatedAt.get(table)}
              isMine={accepted.length > 0}
            />
          )
        })}
      </ul>
    </div>
  )
}

type ChipProps = {
  table: string
  warmAt: number
  lateAt: number
  /** Null for a table that is not open; undefined where the crew opens none. */
  seatedAt: number | null | undefined
  /** `me` is on the way there. */
  isMine: boolean
}

const Chip = memo(function Chip(props: ChipProps): JSX.Element {
  const { table, warmAt, lateAt, seatedAt, isMine } = props
  const heat = useHeat({ warmAt, lateAt })
  return (
    <li
      data-heat={lateAt === Infinity ? undefined : heat}
      data-mine={isMine || undefined}
      data-closed={seatedAt === null || undefined}
      data-long={isLongName(table) || undefined}
    >
      {table}
      {seatedAt && (
        <span className="my-table-seated">
          <span className="sr-only">{t('Seated')}</span> <TimeText at={seatedAt} format={formatElapsed} />
        </span>
      )}
    </li>
  )
})
