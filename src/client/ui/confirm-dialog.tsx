import { type JSX, type ReactNode, useCallback, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmDialogProps = {
  title: ReactNode
  description: ReactNode
  children?: ReactNode
  open: boolean
  confirmLabel: string
  cancelLabel?: string
  /** For what cannot be undone. */
  danger?: boolean
  pending?: boolean
  /** Keeps the dialog open while pending. */
  locked?: boolean
  onConfirm: () => void
  onCancel: () => void
  finalFocus?: () => HTMLElement | null
}

/** Asks before something is done. */
export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  const { title, description, children, open, confirmLabel, cancelLabel = 'Cancel' } = props
  const { danger = false, pending = false, locked = false, onConfirm, onCancel, finalFocus } = props
  const isLocked = locked && pending
  return (
    <Dialog
      {...{ title, description, open }}
      onOpenChange={(next) => {
        if (!next && !isLocked) onCancel()
      }}
      {...(finalFocus && { finalFocus })}
      actions={
        <>
          <Button disabled={isLocked} onClick={onCancel}>
            {cancelLabel}
          </Button>
          <Button variant={danger ? 'danger' : 'primary'} pending={pending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}

export type DialogState<Subject> = {
  isOpen: boolean
  /** What the dialog is about; it stays while the dialog closes. */
  subject: Subject | null
  open: (subject: Subject) => void
  close: () => void
}

/** The state of a dialog about one thing of many. `open` and `close` keep their identity. */
export function useDialog<Subject>(): DialogState<Subject> {
  const [isOpen, setOpen] = useState(false)
  const [subject, setSubject] = useState<Subject | null>(null)
  const open = useCallback((next: Subject) => {
    setSubject(() => next)
    setOpen(true)
  }, [])
  const close = useCallback(() => setOpen(false), [])
  return { isOpen, subject, open, close }
}
