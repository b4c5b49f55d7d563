import { type JSX, type ReactNode, useInsertionEffect } from 'react'
import { t } from '../lib/texts/translate.ts'
import { TableNumber } from './requests/table-number.tsx'
// Another file would cost the crew's page a request: it has these styles among its own.
import styles from './ticket.css?inline'

type TicketPictureProps = {
  tableNumber: string
  icon: ReactNode
  type: string
  age: string
  /** What the crew should know, on one line. */
  meta: ReactNode
  /** Null once somebody is on the way. */
  heat: 'fresh' | null
  children: ReactNode
}

/** The crew's ticket as it looks, for pages without the crew's screen. A test compares the two. */
export function TicketPicture(props: TicketPictureProps): JSX.Element {
  const { tableNumber, icon, type, age, meta, heat, children } = props
  useTicketStyles()
  return (
    <div data-heat={heat ?? undefined} className="ticket">
      {heat && (
        <span aria-hidden className="ticket-edge">
          <span style={{ transform: 'scaleY(0.04)' }} />
        </span>
      )}
      <h3>
        <span className="ticket-word">{t('Table')}</span> <TableNumber>{tableNumber}</TableNumber>
      </h3>
      <div className="ticket-words">
        <p className="ticket-type">
          {icon}
          {type}
        </p>
        <span className="ticket-age">
          <time>{age}</time>
        </span>
        <p className="ticket-meta">{meta}</p>
      </div>
      <div className="ticket-actions">{children}</div>
    </div>
  )
}

function useTicketStyles(): void {
  useInsertionEffect(() => {
    if (!('adoptedStyleSheets' in document)) return undefined
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    document.adoptedStyleSheets.push(sheet)
    // The crew's page has them in another order.
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
    }
  }, [])
}
