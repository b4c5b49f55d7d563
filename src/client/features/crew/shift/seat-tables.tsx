import { type JSX, useEffect } from 'react'
import { api } from '#contract/api.ts'
import type { SeatedTable } from '#contract/requests/seating.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'

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
  const live = useLive()
  const { invalidate } = useApiCache()
  const { data } = useFreshApiQuery(api.seating.list, {})
  useEffect(
    () =>
      live.onMessage(({ type }) => {
        if (type === 'seating-changed' || type === 'pending-requests') void invalidate(api.seating.list)
      }),
    [live, invalidate],
  )
  return data?.on ? data.tables : undefined
}
