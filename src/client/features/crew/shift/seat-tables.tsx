import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import type { SeatedTable } from '#contract/requests/seating.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { useSeatingUpdates } from '../tables/use-seating-updates.ts'

const SeatingDrawer = lazyPart(async () => (await import('./seating-drawer.tsx')).SeatingDrawer)

/** Only where the owner lets the crew open and close tables; says how many want to be opened. */
export function SeatTables(): JSX.Element | null {
  const drawer = useDialog()
  const tables = useSeating()
  if (!tables) return null
  const wanted = tables.filter(({ wantedAt }) => wantedAt !== null).length
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={() => drawer.open()}>
        {t('Seat tables')}
        {wanted > 0 && (
          <Badge tone="action">
            {t('Wants to be seated')}: {wanted}
          </Badge>
        )}
      </Button>
      {drawer.mounted && <SeatingDrawer tables={tables} {...drawer.props} />}
    </>
  )
}

/** The tables as far as the owner lets the crew open and close them; undefined until known. */
function useSeating(): SeatedTable[] | undefined {
  useSeatingUpdates()
  const { data } = useFreshApiQuery(api.seating.list, {})
  return data?.on ? data.tables : undefined
}
