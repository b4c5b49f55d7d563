import { useCallback, useState } from 'react'

type LazyDialog = {
  /** Whether it is to be there at all: its code comes with the first opening, and it stays to close softly. */
  hasOpened: boolean
  show: () => void
  props: { open: boolean; onOpenChange: (open: boolean) => void }
}

export function useLazyDialog(): LazyDialog {
  const [open, setOpen] = useState<boolean | null>(null)
  const show = useCallback(() => setOpen(true), [])
  return { hasOpened: open !== null, show, props: { open: open === true, onOpenChange: setOpen } }
}
