import { type JSX } from 'react'
import type { GuestPage } from '#contract/guests/visits.ts'
import type { Place } from '../guest-flow.ts'
import { languageInAddress } from '../language.ts'

/** The table, in a form that works without a script. */
export function PlaceFields(place: Place): JSX.Element {
  return (
    <>
      <HiddenPlace {...place} />
      <LanguageField />
    </>
  )
}

/** For the form that chooses the language. What is not known yet is left out. */
export function HiddenPlace({ restaurantId, tableNumber, k, from }: GuestPage['given']): JSX.Element {
  return (
    <>
      {restaurantId && <input type="hidden" name="r" value={restaurantId} />}
      {tableNumber && <input type="hidden" name="t" value={tableNumber} />}
      {k && <input type="hidden" name="k" value={k} />}
      {from && <input type="hidden" name="from" value={from} />}
    </>
  )
}

export function LanguageField(): JSX.Element | null {
  const { lang } = languageInAddress()
  return lang === undefined ? null : <input type="hidden" name="lang" value={lang} />
}
