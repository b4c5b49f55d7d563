import { type JSX, useEffect, useRef, useState } from 'react'
import { minuteMs } from '#contract/durations.ts'
import type { PersonRef } from '#contract/requests/requests.ts'
import {
  getSelectedMember,
  getStored,
  removeStored,
  setStored,
} from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { type DelayedAction, type RequestAction, sendableMs } from '../requests/requests-reducer.ts'
import type { LiveRequests } from '../requests/use-requests.ts'

const noticeMs = minuteMs

type Tap = DelayedAction & { at: number }
/** `before`: on the same request, which counts again if the later one is taken back. */
type WaitingTap = Tap & { before?: Tap | undefined }

type UnsentTapsProps = Pick<LiveRequests, 'open' | 'recent' | 'unanswered' | 'resend' | 'withdraw'> & {
  me: PersonRef
  connected: boolean
}

/** Keeps the taps that wait for the connection, so that they survive a reload; those that waited too long are told. */
export function UnsentTaps(props: UnsentTapsProps): JSX.Element {
  const { me, connected, open, recent, unanswered, resend, withdraw } = props
  const [tooOld, setTooOld] = useState<readonly string[]>([])
  const isRestored = useRef(false)
  const taps = useRef<ReadonlyMap<string, WaitingTap>>(new Map())

  useEffect(() => {
    if (!isRestored.current) {
      isRestored.current = true
      const { sendable, late } = takeKeptTaps(Date.now())
      taps.current = new Map(sendable.map((tap) => [tap.id, tap]))
      keep(sendable)
      for (const tap of sendable) resend(tap)
      if (late.length > 0) setTooOld(late.map(({ tableNumber }) => tableNumber))
      // They are unanswered from the next render on.
      if (sendable.length > 0) return
    }
    const tableOf = (id: string): string =>
      [...open, ...recent.map(({ request }) => request)].find((request) => request.id === id)?.tableNumber ??
      ''
    const waiting = [...unanswered].flatMap(([id, action]): WaitingTap[] => {
      const before = taps.current.get(id)
      const known = [before, before?.before].find((tap) => tap?.action === action)
      if (known) return [known]
      return connected ? [] : [{ id, action, tableNumber: tableOf(id), by: me, at: Date.now(), before }]
    })
    const isSame =
      waiting.length === taps.current.size && waiting.every((tap) => taps.current.get(tap.id) === tap)
    if (isSame) return
    taps.current = new Map(waiting.map((tap) => [tap.id, tap]))
    keep(waiting)
  }, [unanswered, connected, open, recent, me, resend])

  useEffect(() => {
    if (unanswered.size === 0) return undefined
    const stopping = new AbortController()
    const { signal } = stopping
    let timer: ReturnType<typeof setTimeout> | undefined
    const withdrawLate = (): void => {
      clearTimeout(timer)
      const now = Date.now()
      const waiting = [...taps.current.values()]
      const late = waiting.filter(({ at }) => at + sendableMs <= now)
      const withdrawn = late.filter(({ id }) => actions.filter((action) => withdraw(action, id)).length > 0)
      if (withdrawn.length > 0) setTooOld(withdrawn.map(({ tableNumber }) => tableNumber))
      const expiry = Math.min(...waiting.map(({ at }) => at + sendableMs).filter((each) => each > now))
      if (expiry !== Infinity) timer = setTimeout(withdrawLate, expiry - now)
    }
    withdrawLate()
    // Timers do not run while a device sleeps, and a connection that comes back sends what waits.
    document.addEventListener('visibilitychange', withdrawLate, { signal })
    addEventListener('online', withdrawLate, { signal })
    return () => {
      stopping.abort()
      clearTimeout(timer)
    }
  }, [unanswered, withdraw])

  useEffect(() => {
    if (tooOld.length === 0) return undefined
    const timer = setTimeout(() => setTooOld([]), noticeMs)
    return () => clearTimeout(timer)
  }, [tooOld])

  return (
    <p role="status" className="mb-2 rounded-control bg-plate-2 px-4 py-3 font-semibold empty:hidden">
      {tooOld.length > 0 &&
        t('Not sent, because the tap is over 15 minutes old: {tables}', {
          tables: tooOld.map((table) => t('table {table}', { table })).join(' · '),
        })}
    </p>
  )
}

const actions: readonly RequestAction[] = ['accept', 'release', 'complete', 'reopen']

function keep(taps: readonly WaitingTap[]): void {
  const kept = taps.map((waiting) => {
    const { before: _, ...tap } = waiting
    return tap
  })
  if (kept.length > 0) setStored('unsent-taps', JSON.stringify(kept))
  else removeStored('unsent-taps')
}

function takeKeptTaps(now: number): { sendable: Tap[]; late: Tap[] } {
  const own = parseTaps(getStored('unsent-taps')).filter(({ by }) => by.id === getSelectedMember())
  return {
    sendable: own.filter(({ at }) => now - at < sendableMs),
    late: own.filter(({ at }) => now - at >= sendableMs),
  }
}

function parseTaps(text: string | null): Tap[] {
  try {
    const taps: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(taps) ? taps.filter(isTap) : []
  } catch {
    return []
  }
}

/** An earlier version may have written it. */
const isTap = (value: Partial<Tap> | null): value is Tap =>
  typeof value?.id === 'string' &&
  typeof value.at === 'number' &&
  typeof value.tableNumber === 'string' &&
  typeof value.by?.name === 'string' &&
  actions.some((action) => action === value.action)
