import './shift-card.css'
import BellRing from 'lucide-react/icons/bell-ring'
import ChevronDown from 'lucide-react/icons/chevron-down'
import X from 'lucide-react/icons/x'
import { type JSX, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useMedia } from '../../../lib/hooks/use-media.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { type DeviceStatus, pushStatus, soundStatuses } from '../device/device-status-text.ts'
import { alertFix, deviceLimits, soundFix } from '../device/platform-advice.ts'
import { closeTestAlert, showTestAlert } from '../device/test-alert.ts'
import type { ShiftState } from './shift-flow.ts'
import type { Shift } from './use-shift.ts'

type CardPartProps = { titleId: string; shift: Shift }

const parts: Record<Exclude<ShiftState['card'], 'none'>, (props: CardPartProps) => JSX.Element> = {
  offer: StartOffer,
  'heard?': SoundQuestion,
  unheard: SoundQuestion,
  'seen?': AlertQuestion,
  unseen: AlertQuestion,
}

/** Above the requests, never over them: it must not block serving. */
export function ShiftCard({ shift }: { shift: Shift }): JSX.Element | null {
  const { card } = shift.flow
  const title = useId()
  useFocusNextTitle(card, title)
  if (card === 'none') return null
  const Part = parts[card]
  return (
    <section aria-labelledby={title} className="shift-card">
      <Part titleId={title} shift={shift} />
    </section>
  )
}

/** A pressed button disappears with its card: the focus moves to the next title. */
function useFocusNextTitle(card: ShiftState['card'], titleId: string): void {
  const before = useRef(card)
  useEffect(() => {
    if (before.current === card) return
    before.current = card
    if (card === 'offer' || document.activeElement !== document.body) return
    document.getElementById(card === 'none' ? 'requests' : titleId)?.focus({ preventScroll: true })
  }, [card, titleId])
}

function StartOffer({ titleId, shift: { start, dispatch } }: CardPartProps): JSX.Element {
  const { beside, below } = useLimits()
  return (
    <>
      <h2 id={titleId} className="sr-only">
        {t('Ready to serve?')}
      </h2>
      <BellRing aria-hidden className="shift-icon" />
      <div className="shift-offer min-w-0 flex-1">
        <p>{t('One tap: sound, alerts, lit screen.')}</p>
        {beside}
      </div>
      <IconButton label={t('Not now')} size={44} onClick={() => dispatch({ type: 'not-now' })}>
        <X aria-hidden size={20} />
      </IconButton>
      <Button variant="primary" onClick={start}>
        {t('Start shift')}
      </Button>
      {below}
    </>
  )
}

/** What the device cannot do: across the foot of a phone's card, otherwise below the words. */
function useLimits(): { beside: ReactNode; below: ReactNode } {
  const isNarrow = useMedia('(width < 40rem)')
  const limits = <p className="shift-limits">{deviceLimits()}</p>
  return isNarrow ? { beside: null, below: limits } : { beside: limits, below: null }
}

function SoundQuestion({ titleId, shift }: CardPartProps): JSX.Element {
  const { flow, chime, sound, push, dispatch } = shift
  const [pending, run] = useTask()
  const isMute = sound === 'unavailable'
  const { text, hint } = pushStatus(push)
  const goOn = (): void =>
    void run(async () => {
      const alertsOn = (await shift.settledPush()).state === 'on'
      if (alertsOn) void showTestAlert()
      dispatch({ type: 'heard', alertsOn })
    })
  return (
    <Question
      titleId={titleId}
      title={t(isMute ? soundStatuses.unavailable.text : 'Heard it?')}
      lines={[
        ...(isMute ? [t(soundStatuses.unavailable.hint ?? '')] : []),
        ...(flow.card === 'unheard' ? [soundFix()] : []),
      ]}
      alerts={{ text: t(text), hint: hint && t(hint) }}
    >
      {isMute ? (
        <Button pending={pending} onClick={goOn}>
          {t('OK')}
        </Button>
      ) : (
        <Answers
          failed={flow.card === 'unheard'}
          pending={pending}
          again={t('Play again')}
          onAgain={() => {
            dispatch({ type: 'play-again' })
            void chime.start()
          }}
          onNo={() => dispatch({ type: 'not-heard' })}
          onYes={goOn}
        />
      )}
    </Question>
  )
}

/** What was heard says nothing about what is seen: each has its own settings. */
function AlertQuestion({ titleId, shift: { flow, dispatch } }: CardPartProps): JSX.Element {
  const failed = flow.card === 'unseen'
  return (
    <Question
      titleId={titleId}
      title={t('Seen the alert?')}
      lines={[failed ? alertFix() : t('A test alert should be among your notifications now.')]}
    >
      <Answers
        failed={failed}
        again={t('Show again')}
        onAgain={() => {
          dispatch({ type: 'show-again' })
          void showTestAlert()
        }}
        onNo={() => dispatch({ type: 'not-seen' })}
        onYes={() => {
          dispatch({ type: 'seen' })
          void closeTestAlert()
        }}
      />
    </Question>
  )
}

type QuestionProps = {
  titleId: string
  title: string
  lines: readonly string[]
  /** Nobody is asked about them. Above the requests, the hint would push tickets out of view: it stands behind a tap. */
  alerts?: DeviceStatus
  children: ReactNode
}

function Question({ titleId, title, lines, alerts, children }: QuestionProps): JSX.Element {
  const isAbove = useMedia('(width < 64rem)')
  const [opened, setOpened] = useState(false)
  const { beside, below } = useLimits()
  const hints = alerts?.hint ? [alerts.hint] : []
  return (
    <>
      <div className="shift-words min-w-0 flex-1 basis-48 py-1 pe-2">
        <h2 id={titleId} tabIndex={-1} className="text-lg outline-none">
          {title}
        </h2>
        <Status lines={lines} />
        {alerts && isAbove && (
          <>
            {alerts.hint ? (
              <button
                type="button"
                aria-expanded={opened}
                className="shift-toggle flex items-center gap-1 text-start text-sm"
                onClick={() => setOpened(!opened)}
              >
                {alerts.text}
                <ChevronDown aria-hidden size={18} />
              </button>
            ) : (
              <p className="shift-limits">{alerts.text}</p>
            )}
            {beside}
          </>
        )}
      </div>
      <div className="flex flex-wrap gap-2">{children}</div>
      {alerts && (opened || !isAbove) && (
        <div className="shift-others">
          <Status lines={isAbove ? hints : [alerts.text, ...hints, deviceLimits()]} />
        </div>
      )}
      {alerts && below}
    </>
  )
}

function Status({ lines }: { lines: readonly string[] }): JSX.Element {
  return (
    <div role="status" className="text-base text-text-mute">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}

type AnswersProps = {
  /** The last answer was "No": it may be tried again. */
  failed: boolean
  /** "Yes" has been answered and waits. */
  pending?: boolean
  again: string
  onAgain: () => void
  onNo: () => void
  onYes: () => void
}

function Answers({ failed, pending, again, onAgain, onNo, onYes }: AnswersProps): JSX.Element {
  return (
    <>
      <Button disabled={pending} onClick={failed ? onAgain : onNo}>
        {failed ? again : t('No')}
      </Button>
      <Button variant="primary" pending={pending} onClick={onYes}>
        {t('Yes')}
      </Button>
    </>
  )
}
