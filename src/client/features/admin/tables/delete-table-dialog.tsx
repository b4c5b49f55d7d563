import type { JSX } from 'react'
import type { Table } from '#contract/floor.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useTask } from '../../../lib/use-task.ts'
import type { FloorActions } from '../floor-actions.ts'

type DeleteTableDialogProps = {
  table: Table | null
  removeTable: FloorActions['removeTable']
  onClose: () => void
  nextControl: () => HTMLElement | null
}

export function DeleteTableDialog(props: DeleteTableDialogProps): JSX.Element {
  const { table, removeTable, onClose, nextControl } = props
  const [busy, run] = useTask()
  return (
    <Dialog
      title={`Delete table ${table?.tableNumber ?? ''}?`}
      description="It has assignments from today on. They go with the table."
      open={table !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      finalFocus={nextControl}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            pending={busy}
            onClick={() =>
              void run(async () => {
                if (table) await removeTable(table, true)
                onClose()
              })
            }
          >
            Delete
          </Button>
        </>
      }
    />
  )
}
