import { useCallback, useState } from 'react'

export type DialogState<Subject = void> = {
  isOpen: boolean
  /** From the first opening on, which is when a lazy dialog needs its code; it stays while it closes. */
  mounted: boolean
  /** What the dialog is about; it stays while the dialog closes. */
  subject: Subject | null
  open: (subject: Subject) => void
  close: () => void
  /** For a dialog that opens by its own `trigger`, or closes itself. */
  props: { open: boolean; onOpenChange: (open: boolean) => void }
}

/** The state of a dialog, which may be about one thing of many. `open` and `close` keep their identity. */
export function useDialog<Subject = void>(): DialogState<Subject> {
  /** Null until it is first opened. */
  const [opened, setOpened] = useState<boolean | null>(null)
  const [subject, setSubject] = useState<Subject | null>(null)
  const open = useCallback((next: Subject) => {
    setSubject(() => next)
    setOpened(true)
  }, [])
  const close = useCallback(() => setOpened((before) => before && false), [])
  const isOpen = opened === true
  return {
    isOpen,
    mounted: opened !== null,
    subject,
    open,
    close,
    props: { open: isOpen, onOpenChange: setOpened },
  }
}
