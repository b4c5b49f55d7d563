import { type JSX, useId } from 'react'
import { barrierMessages } from '#contract/requests.ts'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import type { TableMutes } from './use-muted-tables.ts'

type MuteDrawerProps = {
  tableNumber: string
  mutes: TableMutes
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** More actions for a table. */
export function MuteDrawer({ tableNumber, mutes, open, onOpenChange }: MuteDrawerProps): JSX.Element {
  const heading = useId()
  const isMuted = mutes.all.some((muted) => muted.tableNumber === tableNumber)
  const choose = (action: (tableNumber: string) => void) => () => {
    onOpenChange(false)
    action(tableNumber)
  }
  return (
    <Drawer title={`Table ${tableNumber}`} open={open} onOpenChange={onOpenChange}>
      <div role="group" aria-labelledby={heading} className="flex flex-col gap-3">
        <h3 id={heading} className="text-lg">
          {isMuted ? 'This table is muted' : 'Mute'}
        </h3>
        <p className="text-text-mute">
          Guests at a muted table cannot ask; they read “{barrierMessages.table_muted}” What the table asked
          for before stays.
        </p>
        {isMuted ? (
          <Button wide onClick={choose(mutes.unmute)}>
            Unmute
          </Button>
        ) : (
          <>
            <Button wide onClick={choose(mutes.muteForAnHour)}>
              For an hour
            </Button>
            <Button wide onClick={choose(mutes.mute)}>
              Until unmuted
            </Button>
          </>
        )}
      </div>
    </Drawer>
  )
}
