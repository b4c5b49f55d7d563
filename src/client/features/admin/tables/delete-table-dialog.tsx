import type { JSX } from 'react'
import type { Table } from '#contract/floor.ts'
import { ConfirmDialog, type DialogState } from '../../../ui/confirm-dialog.tsx'
import { useTask } from '../../../lib/use-task.ts'
import type { FloorActions } from '../floor-actions.ts'

type DeleteTableDialogProps = {
  dialog: DialogState<Table>
  removeTable: FloorActions['removeTable']
  nextControl: () => HTMLElement | null
}

export function DeleteTableDialog(props: DeleteTableDialogProps): JSX.Element {
  const { dialog, removeTable, nextControl } = props
  const { subject: table, isOpen, close } = dialog
  const [busy, run] = useTask()
  return (
    <ConfirmDialog
      title={`Delete table ${table?.tableNumber ?? ''}?`}
      description="It has assignments from today on. They go with the table."
      open={isOpen}
      confirmLabel="Delete"
      danger
      pending={busy}
      onConfirm={() =>
        void run(async () => {
          if (table) await removeTable(table, true)
          close()
        })
      }
      onCancel={close}
      finalFocus={nextControl}
    />
  )
}
