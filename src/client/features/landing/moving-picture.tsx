import './moving-picture.css'
import Bell from 'lucide-react/icons/bell'
import Check from 'lucide-react/icons/check'
import { type Dispatch, type JSX, useEffect, useReducer, useRef } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { formatElapsed, formatTimeAgo } from '../../lib/time/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { ServiceIcon } from '../../ui/requests/service-icon.tsx'
import { TicketPicture } from '../../ui/ticket-picture.tsx'
import { type Action, followPicture, pauseIn, type Picture, startPicture } from './picture-flow.ts'

/**
 * A guest's phone and the crew's screen, which work: whoever presses Call Waiter is answered by pressing On my way. Until
 * then they show it by themselves, once, but not to people who prefer less motion.
 */
export function MovingPicture(): JSX.Element {
  const [picture, dispatch] = useReducer(followPicture, undefined, () => startPicture(prefersReducedMotion()))
  const callButton = useRef<HTMLButtonElement>(null)
  const pauseMs = pauseIn(picture)
  useEffect(() => {
    if (pauseMs === null) return undefined
    const timer = setTimeout(() => dispatch('proceed'), pauseMs)
    return () => clearTimeout(timer)
  }, [picture.state, pauseMs])
  return (
    <div className="moving-picture" data-theme="dark" data-state={picture.state}>
      <section aria-label={t('A guest’s phone')} className="moving-phone">
        <p className="flex flex-wrap justify-between gap-x-2 text-base text-text-mute">
          <span lang="en">The Copper Pot</span>
          <span>{t('Table')}</span>
        </p>
        <p className="font-display text-4xl leading-none font-bold">12</p>
        {/* Nothing is read aloud that plays by itself. */}
        <p
          aria-live={picture.playsAlone ? 'off' : 'polite'}
          className="moving-answer font-display text-xl font-bold"
        >
          <span key={picture.state}>{guestText(picture)}</span>
        </p>
        <button ref={callButton} type="button" className="moving-call" onClick={() => dispatch('call')}>
          <Bell aria-hidden size={24} className="shrink-0" />
          {t('Call Waiter')}
        </button>
      </section>
      <div className="moving-between">
        <Arrow />
        <p className="text-text-mute">{t('Press Call Waiter. It is a working page.')}</p>
      </div>
      <section aria-label={t('The crew’s screen')} className="moving-crew">
        <h2 className="sr-only">{t('The crew’s screen')}</h2>
        <Ticket
          picture={picture}
          dispatch={(action) => {
            dispatch(action)
            // Its button is gone with the ticket.
            if (action === 'complete') callButton.current?.focus()
          }}
        />
        <div className="moving-other">
          <span className="font-display text-2xl font-bold">7</span>
          <span className="min-w-0 flex-1 wrap-anywhere">
            <span className="block text-text">
              <span lang="en">Otto</span> · {formatElapsed(40_000)}
            </span>
            <span className="flex flex-wrap items-center gap-x-2">
              <ServiceIcon type="check" size={20} /> {t('Check/Bill')}
            </span>
          </span>
        </div>
      </section>
    </div>
  )
}

const prefersReducedMotion = (): boolean =>
  typeof matchMedia === 'undefined' || matchMedia('(prefers-reduced-motion: reduce)').matches

function guestText({ state }: Picture): string {
  switch (state) {
    case 'asks':
      return t('What do you need?')
    case 'sent':
      return t('Sent')
    case 'seen':
      return t('Seen by the crew')
    case 'answered':
      return t('{name} is on the way', { name: 'Maya' })
    case 'done':
      return t('Done')
  }
}

type TicketProps = { picture: Picture; dispatch: Dispatch<Action> }

function Ticket({ picture: { state, asks }, dispatch }: TicketProps): JSX.Element {
  if (state !== 'seen' && state !== 'answered') return <span className="moving-slot" />
  const isTaken = state === 'answered'
  const button = (action: Action, label: string, look: string): JSX.Element => (
    <button type="button" className={look} onClick={() => dispatch(action)}>
      {action === 'complete' && <Check aria-hidden size={22} />}
      {t(label)}
    </button>
  )
  return (
    <TicketPicture
      tableNumber="12"
      icon={<ServiceIcon type="general" size={22} />}
      type={t('Call Waiter')}
      age={formatTimeAgo(isTaken ? 6_000 : 2_000)}
      heat={isTaken ? null : 'fresh'}
      meta={
        <>
          <Badge tone="bright">{t('NEW')}</Badge>
          {isTaken ? (
            <span>
              <strong>{t('You’re on it')}</strong> <time>{formatElapsed(1_000)}</time>
            </span>
          ) : (
            <strong>{t('your table')}</strong>
          )}
          {asks > 1 && <span>{t('asked {count}×', { count: asks })}</span>}
        </>
      }
    >
      {!isTaken && button('accept', 'On my way', 'ticket-go')}
      {button('complete', 'Mark Complete', isTaken ? 'ticket-done' : 'ticket-complete')}
      {isTaken && button('release', 'Release', 'ticket-release')}
    </TicketPicture>
  )
}

const Arrow = (): JSX.Element => (
  <svg
    aria-hidden
    className="moving-arrow"
    viewBox="0 0 180 60"
    fill="none"
    stroke="currentColor"
    strokeWidth={3}
    strokeLinecap="round"
  >
    <path d="M4 48 Q90 -24 172 34" />
    <path d="M172 34l-4-16m4 16l-16 1" />
  </svg>
)
