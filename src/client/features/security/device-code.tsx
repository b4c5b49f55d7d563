import { type JSX, useEffect, useId, useRef } from 'react'
import type { DeviceCodeState, NewDeviceCode } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { ApiError, call } from '../../api/http.ts'
import { useFreshApiQuery, useApiCache } from '../../api/queries.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Button } from '../../ui/button.tsx'

const validMs = 15 * 60_000
const pollIntervalMs = 2_000

type DeviceCodeProps = {
  code: NewDeviceCode
  making: boolean
  onAnother: () => void
  onClose: () => void
}

/** Digits and a code to scan, large enough to read across the room, until a device uses them. */
export function DeviceCode({ code, making, onAnother, onClose }: DeviceCodeProps): JSX.Element {
  const { state, usedBy } = useCodeState(code.id)
  const heading = useRef<HTMLHeadingElement>(null)
  const title = useId()
  useEffect(() => heading.current?.focus(), [])

  function cancel(): void {
    // A code that cannot be withdrawn expires soon anyway.
    void call(api.devices.cancelCode, { params: { id: code.id } }).catch(() => undefined)
    onClose()
  }

  const isOpen = state === 'open' || state === 'link-only'
  return (
    <section
      data-theme="dark"
      aria-labelledby={title}
      className="@container flex flex-col gap-4 rounded-ticket bg-ground p-4 text-text sm:p-6"
    >
      <div className="flex flex-wrap justify-between gap-6">
        <div className="flex min-w-[min(12rem,100%)] flex-1 flex-col gap-4">
          <h3 id={title} ref={heading} tabIndex={-1} className="text-2xl outline-none">
            {t(headings[state])}
          </h3>
          {isOpen && <Instructions digitsValid={state === 'open'} />}
        </div>
        {isOpen && (
          <img
            src={code.qr}
            alt={t('Code to scan with the tablet or phone')}
            width={200}
            height={200}
            className="mx-auto rounded-control"
          />
        )}
      </div>
      {state === 'open' && <Digits digits={code.digits} />}
      {isOpen && <TimeLeft until={code.expiresAt} />}
      <p role="status" className="empty:hidden">
        {state === 'used' &&
          tRich('{device} is signed in.', {
            device: <strong className="wrap-anywhere">{usedBy}</strong>,
          })}
        {state === 'over' && t('Nobody used it. Please make a new one.')}
      </p>
      <div className="flex flex-wrap gap-3">
        {state === 'used' && (
          <Button variant="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        )}
        {state !== 'open' && (
          <Button pending={making} onClick={onAnother}>
            {t(state === 'used' ? 'Sign in another device' : 'Make another code')}
          </Button>
        )}
        {isOpen && <Button onClick={cancel}>{t('Cancel')}</Button>}
        {state === 'over' && <Button onClick={onClose}>{t('Close')}</Button>}
      </div>
    </section>
  )
}

const headings: Record<DeviceCodeState['state'], string> = {
  open: 'Sign in a device',
  'link-only': 'Sign in a device',
  used: 'Signed in',
  over: 'This code has expired',
}

function Instructions({ digitsValid }: { digitsValid: boolean }): JSX.Element {
  if (!digitsValid)
    return (
      <p>
        {t('The digits were mistyped too often and no longer work. Please scan the code, or make a new one.')}
      </p>
    )
  return (
    <p>
      {tRich(
        'On the tablet or phone, scan the code. Or open {address} there, and type your restaurant’s name and these digits.',
        { address: <strong className="wrap-anywhere">{`${location.host}/device`}</strong> },
      )}
    </p>
  )
}

function Digits({ digits }: { digits: string }): JSX.Element {
  const halves = [digits.slice(0, 3), digits.slice(3)]
  return (
    <p className="font-display text-[clamp(3rem,25cqw,8.5rem)] leading-none font-bold whitespace-nowrap">
      <span className="sr-only">{halves.map((half) => half.replaceAll(/\B/gu, ' ')).join(', ')}</span>
      <span aria-hidden className="flex flex-wrap gap-x-[0.25em]">
        {halves.map((half, index) => (
          <span key={index}>{half}</span>
        ))}
      </span>
    </p>
  )
}

function TimeLeft({ until }: { until: number }): JSX.Element {
  const left = Math.max(0, until - useNow(1000))
  const [minutes, seconds] = [Math.floor(left / 60_000), Math.floor((left % 60_000) / 1000)]
  return (
    <div className="flex flex-col gap-2">
      <progress
        aria-label={t('Time left')}
        max={validMs}
        value={Math.min(left, validMs)}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-plate-2 [&::-moz-progress-bar]:bg-text [&::-webkit-progress-bar]:bg-plate-2 [&::-webkit-progress-value]:bg-text"
      />
      <p className="text-text-mute">
        {minutes > 0
          ? t('Valid for {minutes} min {seconds} s, once', { minutes, seconds })
          : t('Valid for {seconds} s, once', { seconds })}
      </p>
    </div>
  )
}

const expiredState: DeviceCodeState = { state: 'over', usedBy: null }

/** Polls while the code can be used; a code that is gone has ended. */
function useCodeState(id: string): DeviceCodeState {
  const { data, error, refetch } = useFreshApiQuery(api.devices.code, { params: { id } })
  const { invalidate } = useApiCache()
  const isGone = error instanceof ApiError && error.status === 404
  const known: DeviceCodeState = isGone ? expiredState : (data ?? { state: 'open', usedBy: null })
  const isOver = known.state === 'used' || known.state === 'over'
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => void refetch(), pollIntervalMs)
    return () => clearInterval(timer)
  }, [isOver, refetch])
  const isUsed = known.state === 'used'
  useEffect(() => {
    if (isUsed) void invalidate(api.devices.list)
  }, [isUsed, invalidate])
  return known
}
