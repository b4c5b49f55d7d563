import '../../../ui/ticket.css'
import Check from 'lucide-react/icons/check'
import { type JSX, memo, useCallback, useId } from 'react'
import { firstName, localName } from '#contract/names.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatElapsed } from '../../../lib/time/dates.ts'
import { classNames } from '../../../ui/class-names.ts'
import { RequestIcon } from '../../../ui/requests/request-icon.tsx'
import { isLongName, TableNumber } from '../../../ui/requests/table-number.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import { MoreButton, StillWaiting } from './ticket-parts.tsx'
import type { RailItemProps } from './ticket.tsx'

/** A colleague is on the way: the guest is cared for, so it takes little room. */
export const AcceptedLine = memo(function AcceptedLine(props: RailItemProps): JSX.Element {
  const { request, muted, act, observe, onMore } = props
  const { id, tableNumber, movedFrom, acceptedBy, acceptedAt } = request
  const title = useId()
  return (
    <li
      data-request={id}
      className={classNames('ticket accepted-line', isLongName(tableNumber) && 'accepted-long')}
    >
      <h3 ref={useCallback((number: HTMLHeadingElement) => observe(number, id), [observe, id])} id={title}>
        <span className="sr-only">{t('Table')}</span> <TableNumber>{tableNumber}</TableNumber>
      </h3>
      <MoreButton request={request} onMore={onMore} />
      <div className="min-w-0 wrap-anywhere">
        <p className="text-text">
          <bdi>{localName(firstName(acceptedBy?.name), t)}</bdi>
          <span className="sr-only"> {t('is on the way')}</span>
          {acceptedAt && (
            <>
              {' · '}
              <TimeText at={acceptedAt} format={formatElapsed} />
            </>
          )}
        </p>
        <p className="ticket-type">
          <RequestIcon request={request} size={20} />
          {askedText(request)}
          <StillWaiting {...request} />
          {movedFrom !== undefined && <span>{t('moved from {table}', { table: movedFrom })}</span>}
          {muted && <span>{t('muted')}</span>}
        </p>
      </div>
      <button
        type="button"
        data-complete
        aria-label={t('Mark Complete')}
        aria-describedby={title}
        className="accepted-done"
        onClick={() => act('complete', request)}
      >
        <Check aria-hidden />
      </button>
    </li>
  )
})
