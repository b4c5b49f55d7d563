import { useEffect, useState } from 'react'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { useIsNamed } from './use-anchor.ts'

type PhoneFold = {
  /** Only then there is something to open. */
  isPhone: boolean
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
  isShown: boolean
}

/** For what a phone shows on demand, or at once where the address names it: `anchor`, as of its card. */
export function usePhoneFold(anchor: string): PhoneFold {
  const isPhone = useMedia('(width < 40rem)')
  const [isOpen, setOpen] = useState(false)
  const isNamed = useIsNamed(anchor)
  useEffect(() => {
    if (isNamed) setOpen(true)
  }, [isNamed])
  return { isPhone, isOpen, setOpen, isShown: !isPhone || isOpen }
}
