import type { JSX, ReactNode } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../button.tsx'
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
  const { title, description, children, open, confirmLabel, cancelLabel = t('Cancel') } = props
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
