import type { JSX, ReactNode } from 'react'
import { useTask } from '../../lib/hooks/use-task.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import type { DialogState } from './use-dialog.ts'

type RemoveDialogProps<Subject> = {
  dialog: DialogState<Subject>
  title: string
  description: string
  children?: ReactNode
  confirmLabel: string
  cancelLabel?: string
  remove: (subject: Subject) => Promise<unknown>
  finalFocus: () => HTMLElement | null
}

/** Asks before one thing of many is removed. */
export function RemoveDialog<Subject>(props: RemoveDialogProps<Subject>): JSX.Element {
  const { dialog, remove, ...rest } = props
  const { subject, isOpen, close } = dialog
  const [busy, run] = useTask()
  return (
    <ConfirmDialog
      {...rest}
      open={isOpen}
      danger
      pending={busy}
      onConfirm={() =>
        void run(async () => {
          if (subject !== null) await remove(subject)
          close()
        })
      }
      onCancel={close}
    />
  )
}
