import type { JSX } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import type { Place } from '../guest-flow.ts'
import { languageInAddress } from '../language.ts'

const labels: Record<string, string> = {
  menu: 'Menu',
  pay: 'Pay or tip',
  wifi: 'Wi-Fi',
  hours: 'Opening hours',
}

type CardLinksProps = { card: Record<string, string>; place: Pick<Place, 'restaurantId' | 'tableNumber'> }

/** What is on the restaurant's guest card: other sites with their hosts, and the card's own page. */
export function CardLinks({ card, place: { restaurantId, tableNumber } }: CardLinksProps): JSX.Element {
  const own = new URLSearchParams({ r: restaurantId, t: tableNumber, ...languageInAddress() })
  return (
    <nav>
      {Object.entries(card).map(([kind, url]) => (
        <a
          key={kind}
          href={url || `/customer/card?${own.toString()}#${kind}`}
          target={url && '_blank'}
          rel="noopener"
        >
          {t(labels[kind] ?? kind)}
          {url && (
            <>
              <br />
              <small dir="ltr">{new URL(url).host}</small>
            </>
          )}
        </a>
      ))}
    </nav>
  )
}
