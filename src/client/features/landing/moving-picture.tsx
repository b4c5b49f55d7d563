import './moving-picture.css'
import Bell from 'lucide-react/icons/bell'
import Check from 'lucide-react/icons/check'
import { type Dispatch, type JSX, useEffect, useReducer, useRef } from 'react'
import { formatTimeAgo } from '../../lib/dates.ts'
import { t } from '../../lib/translate.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'
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
        <p className="flex justify-between gap-2 text-base text-text-mute">
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
        <Ticket
          picture={picture}
          dispatch={(action) => {
            dispatch(action)
            // Its button is gone with the ticket.
            if (action === 'complete') callButton.current?.focus()
          }}
        />
        <div className="moving-ticket moving-other">
          <span className="moving-number">7</span>
          <span className="moving-type">
            <ServiceIcon type="check" /> {t('Check/Bill')}
          </span>
          <span className="text-base whitespace-nowrap text-text-mute">
            <span lang="en">Otto</span> · {formatTimeAgo(40_000)}
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

function Ticket({ picture: { state, asks }, dispatch }: TicketProps): JSX.Element | null {
  if (state !== 'seen' && state !== 'answered') return null
  const isTaken = state === 'answered'
  return (
    <div className="moving-ticket moving-new">
      <span className="moving-number">
        <span className="block text-sm font-normal text-text-mute">{t('Table')}</span>
        12
      </span>
      <span className="min-w-0">
        <span className="flex flex-wrap justify-between gap-x-3">
          <span className="moving-type">
            <ServiceIcon type="general" /> {t('Call Waiter')}
          </span>
          <span className="text-text-mute">{formatTimeAgo(2_000)}</span>
        </span>
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          {isTaken ? (
            t('You’re on it')
          ) : (
            <>
              <span className="moving-badge">{t('NEW')}</span> {t('your table')}
            </>
          )}
          {asks > 1 && <span className="font-normal">{t('asked {count}×', { count: asks })}</span>}
        </span>
      </span>
      <span className="moving-actions">
        {!isTaken && (
          <button type="button" className="moving-go" onClick={() => dispatch('accept')}>
            {t('On my way')}
          </button>
        )}
        <button
          type="button"
          className={isTaken ? 'moving-done' : 'moving-complete'}
          onClick={() => dispatch('complete')}
        >
          <Check aria-hidden size={20} className="shrink-0" />
          {t('Mark Complete')}
        </button>
      </span>
    </div>
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
