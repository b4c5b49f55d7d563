import { type JSX } from 'react'
import type { Place } from './guest-flow.ts'

/** The table, in a form that works without a script. */
export function PlaceFields({ restaurantId, tableNumber, k }: Place): JSX.Element {
  return (
    <>
      <input type="hidden" name="r" value={restaurantId} />
      <input type="hidden" name="t" value={tableNumber} />
      {k !== null && <input type="hidden" name="k" value={k} />}
    </>
  )
}
