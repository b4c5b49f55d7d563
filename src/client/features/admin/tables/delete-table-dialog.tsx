import type { JSX } from 'react'
import type { Table } from '#contract/floor.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useTask } from '../../../lib/use-task.ts'
import type { FloorActions } from '../floor-actions.ts'

type DeleteTableDialogProps = {
  table: Table | null
  open: boolean
  removeTable: FloorActions['removeTable']
  onClose: () => void
  nextControl: () => HTMLElement | null
}

export function DeleteTableDialog(props: DeleteTableDialogProps): JSX.Element {
  const { table, open, removeTable, onClose, nextControl } = props
  const [busy, run] = useTask()
  return (
    <ConfirmDialog
      title={`Delete table ${table?.tableNumber ?? ''}?`}
      description="It has assignments from today on. They go with the table."
      open={open}
      confirmLabel="Delete"
      danger
      pending={busy}
      onConfirm={() =>
        void run(async () => {
          if (table) await removeTable(table, true)
          onClose()
        })
      }
      onCancel={onClose}
      finalFocus={nextControl}
    />
  )
}
