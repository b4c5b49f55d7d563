import { type JSX } from 'react'
import type { Place } from './guest-flow.ts'

/** What a plain form carries about the table. */
export function PlaceFields({ restaurantId, tableNumber, k }: Place): JSX.Element {
  return (
    <>
      <input type="hidden" name="r" value={restaurantId} />
      <input type="hidden" name="t" value={tableNumber} />
      {k !== null && <input type="hidden" name="k" value={k} />}
    </>
  )
}
