import { type JSX, useEffect, useId, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { pushStatus, soundStatuses, soundHelpText } from '../device/device-status-text.ts'
import type { Shift } from './use-shift.ts'

/** Above the requests, never over them: it must not block serving. */
export function ShiftCard({ shift }: { shift: Shift }): JSX.Element | null {
  const { flow } = shift
  const title = useId()
  useFocusNextTitle(flow.card, title)
  if (flow.card === 'none') return null
  return (
    <section
      aria-labelledby={title}
      className="flex flex-wrap items-center gap-x-6 gap-y-3 rounded-ticket border border-action bg-plate p-3 sm:p-4"
    >
      {flow.card === 'offer' ? (
        <StartOffer titleId={title} shift={shift} />
      ) : (
        <SoundQuestion titleId={title} shift={shift} />
      )}
    </section>
  )
}

/** A pressed button disappears with its card: the focus moves to the next title. */
function useFocusNextTitle(card: Shift['flow']['card'], titleId: string): void {
  const before = useRef(card)
  useEffect(() => {
    if (before.current === card) return
    before.current = card
    if (card === 'offer' || document.activeElement !== document.body) return
    document.getElementById(card === 'none' ? 'requests' : titleId)?.focus({ preventScroll: true })
  }, [card, titleId])
}

type CardPartProps = { titleId: string; shift: Shift }

function StartOffer({ titleId, shift: { start, dispatch } }: CardPartProps): JSX.Element {
  return (
    <>
      <div className="min-w-0 flex-1 basis-60">
        <h2 id={titleId} className="text-xl">
          Ready to serve?
        </h2>
        <p className="text-base text-text-mute">One tap: sound, alerts, lit screen.</p>
      </div>
      <div className="flex flex-1 flex-wrap gap-3 sm:flex-none">
        <Button variant="quiet" onClick={() => dispatch({ type: 'not-now' })}>
          Not now
        </Button>
        <div className="flex-1">
          <Button variant="primary" wide onClick={start}>
            Start shift
          </Button>
        </div>
      </div>
    </>
  )
}

function SoundQuestion({ titleId, shift }: CardPartProps): JSX.Element {
  const { flow, chime, sound, push, dispatch } = shift
  const isMute = sound === 'unavailable'
  const { text, hint } = pushStatus(push)
  const playAgain = (): void => {
    dispatch({ type: 'play-again' })
    void chime.start()
  }
  return (
    <>
      <div className="min-w-0 flex-1 basis-60">
        <h2 id={titleId} tabIndex={-1} className="text-xl outline-none">
          {isMute ? soundStatuses.unavailable.text : 'Heard it?'}
        </h2>
        <div role="status" className="text-text-mute">
          {isMute && <p>{soundStatuses.unavailable.hint}</p>}
          {flow.card === 'unheard' && <p>{soundHelpText}</p>}
          <p>{hint === null ? text : `${text}. ${hint}`}</p>
        </div>
      </div>
      <div className="flex flex-wrap gap-3">
        {isMute ? (
          <Button onClick={() => dispatch({ type: 'heard' })}>OK</Button>
        ) : (
          <>
            {flow.card === 'unheard' ? (
              <Button onClick={playAgain}>Play again</Button>
            ) : (
              <Button onClick={() => dispatch({ type: 'not-heard' })}>No</Button>
            )}
            <Button variant="primary" onClick={() => dispatch({ type: 'heard' })}>
              Yes
            </Button>
          </>
        )}
      </div>
    </>
  )
}
