import { useCallback, useState } from 'react'

type LateDialog = {
  /** Whether it is to be there at all: its code comes with the first opening, and it stays to close softly. */
  wasOpened: boolean
  show: () => void
  props: { open: boolean; onOpenChange: (open: boolean) => void }
}

export function useLateDialog(): LateDialog {
  const [open, setOpen] = useState<boolean | null>(null)
  const show = useCallback(() => setOpen(true), [])
  return { wasOpened: open !== null, show, props: { open: open === true, onOpenChange: setOpen } }
}
