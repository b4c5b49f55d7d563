import { useCallback, useState } from 'react'
import { afterPaint } from './after-paint.ts'

/** Marks what is chosen at once; `onChange` is called once that is painted, and what it shows follows. */
export function useMarked<T>(
  value: T,
  onChange: (value: T) => void,
): [marked: T, choose: (value: T) => void] {
  const [mark, setMark] = useState({ instead: value, marked: value })
  const choose = useCallback(
    (marked: T) => {
      setMark({ instead: value, marked })
      afterPaint(() => onChange(marked))
    },
    [value, onChange],
  )
  return [mark.instead === value ? mark.marked : value, choose]
}
