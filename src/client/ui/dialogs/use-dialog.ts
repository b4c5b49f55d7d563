import { useCallback, useState } from 'react'

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
