import { type JSX, useId, useMemo, useState } from 'react'
import { api } from '#contract/api.ts'
import { nameKey } from '#contract/primitives.ts'
import { barrierMessages, type ServiceRequest } from '#contract/requests/requests.ts'
import { useApiQuery } from '../../../api/queries.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTime } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import type { ActOnRequest } from '../requests/use-requests.ts'
import { MoveParty } from './move-party.tsx'
import { TableHistory } from './table-history.tsx'
import type { MutedTablesState } from './use-muted-tables.ts'
import { useSeatingUpdates } from './use-seating-updates.ts'

type TableDrawerProps = {
  request: ServiceRequest
  act: ActOnRequest
  mutedTables: MutedTablesState
  /** All that are open. */
  requests: readonly ServiceRequest[]
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** More actions for a request and its table. */
export function TableDrawer(props: TableDrawerProps): JSX.Element {
  const { request, requests, act, mutedTables, open, onOpenChange } = props
  const heading = useId()
  const { tableNumber, acceptedBy } = request
  useSeatingUpdates()
  const { data: seating } = useApiQuery(api.seating.list, {})
  const seatedAt = useMemo(() => {
    const key = nameKey(tableNumber)
    return seating?.on && seating.tables.find((table) => nameKey(table.tableNumber) === key)?.seatedAt
  }, [seating, tableNumber])
  const [moving, setMoving] = useState(false)
  const [wasOpen, setWasOpen] = useState(open)
  if (open !== wasOpen) {
    setWasOpen(open)
    if (open) setMoving(false)
  }
  // By their ids, with what may change in them.
  const state = requests
    .flatMap((each) => (each.tableNumber === tableNumber ? [each.id, each.state, each.asks] : []))
    .join(' ')
  const isMuted = mutedTables.all.some((muted) => muted.tableNumber === tableNumber)
  const choose = (action: (tableNumber: string) => void) => () => {
    onOpenChange(false)
    action(tableNumber)
  }
  if (moving) {
    return (
      <Drawer title={t('Move the party')} open={open} onOpenChange={onOpenChange}>
        <MoveParty from={tableNumber} onMoved={() => onOpenChange(false)} />
      </Drawer>
    )
  }
  return (
    <Drawer title={t('Table {table}', { table: tableNumber })} open={open} onOpenChange={onOpenChange}>
      {seatedAt && (
        <p className="text-text-mute">{t('Seated since {time}', { time: formatTime(seatedAt) })}</p>
      )}
      {acceptedBy && state.includes(request.id) && (
        <Button wide onClick={choose(() => act('release', request))}>
          {t('Release')}
        </Button>
      )}
      <Button wide onClick={() => afterPaint(() => setMoving(true))}>
        {t('Move to another table')}
      </Button>
      <TableHistory key={state} tableNumber={tableNumber} />
      <div role="group" aria-labelledby={heading} className="flex flex-col gap-3">
        <h3 id={heading} className="text-lg">
          {t(isMuted ? 'This table is muted' : 'Mute')}
        </h3>
        <p className="text-text-mute">
          {tRich(
            'Guests at a muted table cannot ask; they read “{message}” What the table asked for before stays.',
            { message: <bdi>{t(barrierMessages.table_muted)}</bdi> },
          )}
        </p>
        {isMuted ? (
          <Button wide onClick={choose(mutedTables.unmute)}>
            {t('Unmute')}
          </Button>
        ) : (
          <>
            <Button wide onClick={choose(mutedTables.muteForAnHour)}>
              {t('For an hour')}
            </Button>
            <Button wide onClick={choose(mutedTables.mute)}>
              {t('Until unmuted')}
            </Button>
          </>
        )}
      </div>
    </Drawer>
  )
}
