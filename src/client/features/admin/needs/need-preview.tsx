import type { JSX } from 'react'
import { isOwnNeed, type Need } from '#contract/requests/needs.ts'
import { isRightToLeft } from '#contract/texts/languages.ts'
import { NeedIcon } from '../../../ui/requests/need-icon.tsx'
import { ServiceIcon } from '../../../ui/requests/service-icon.tsx'
import { needName } from './needs-draft.ts'

export const DraftIcon = ({ need }: { need: Need }): JSX.Element =>
  isOwnNeed(need) ? <NeedIcon icon={need.icon} /> : <ServiceIcon type={need.id} />

/** The tiles of the guest page: Call Waiter is the large one, below the thumb. */
export function NeedPreview({ needs, language }: { needs: readonly Need[]; language: string }): JSX.Element {
  const shown = needs.filter(({ hidden }) => !hidden)
  const isLarge = (need: Need): boolean => need.id === 'general'
  const inOrder = [...shown.filter((need) => !isLarge(need)), ...shown.filter(isLarge)]
  const last = inOrder.findLastIndex((need) => !isLarge(need))
  return (
    <div
      aria-hidden
      data-theme="dark"
      lang={language}
      dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
      className="need-preview"
    >
      {inOrder.map((need, index) => (
        <div
          key={need.id}
          data-large={isLarge(need) || undefined}
          data-wide={index === last && index % 2 === 0}
        >
          <DraftIcon need={need} />
          <bdi>{needName(need, language)}</bdi>
        </div>
      ))}
    </div>
  )
}
