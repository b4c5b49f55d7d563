import { type JSX, useEffect, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import { type ManagerNote, NoteClosed } from '#contract/guests/manager-notes.ts'
import { noteLimits } from '#contract/guests/note-limits.ts'
import type { ServerMessage } from '#contract/live.ts'
import { parse } from '#contract/parse.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useConnection, useLive } from '../../api/live/use-live.ts'
import { useApiCache, useChangeOf, useFreshApiQuery } from '../../api/queries.ts'
import { getStored, setStored } from '../../lib/browser/browser-storage.ts'
import { formatDuration } from '../../lib/texts/format.ts'
import { isolated } from '../../lib/texts/isolated.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { NotYetLoaded } from '../../ui/page/in-order.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'

/** A message may be lost on its way. */
const refreshMs = 60_000
/** Whoever wrote may be moved to another table, whose table may be deleted. */
const changes: readonly ServerMessage['type'][] = [
  'manager-notes-changed',
  'seating-changed',
  'floor-changed',
]

/** What guests wrote to the manager, where the owner lets them. Rings once for each new note. */
export function ManagerNotes({ ring }: { ring: () => void }): JSX.Element | null {
  const { data, isFetched } = useFreshApiQuery(api.managerNotes.list, {})
  useChanges()
  const notes = data?.notes ?? []
  useRing(notes, ring)
  useSeen(notes)
  if (!isFetched) return <NotYetLoaded />
  if (!data || (!data.on && notes.length === 0)) return null
  const open = notes.filter(({ state }) => state !== 'closed')
  const closed = notes.filter(({ state }) => state === 'closed')
  return (
    <Card
      title={t('Messages from guests')}
      description={t(
        'What guests wrote to you in private. They see who is taking care of it, and your answer.',
      )}
    >
      {open.length === 0 ? (
        <p className="text-text-mute">{t('No one is waiting for an answer.')}</p>
      ) : (
        <OpenNotes notes={open} />
      )}
      {closed.length > 0 && (
        <details>
          <summary className="min-h-11 cursor-pointer content-center font-semibold">
            {t('The last 30 days')}
          </summary>
          <ul className="flex flex-col divide-y divide-rule">
            {closed.map((note) => (
              <li key={note.id} className="py-2">
                <NoteText note={note} />
                {note.answer !== null && (
                  <p dir="auto" className="wrap-anywhere text-text-mute">
                    {note.answer}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

function useChanges(): void {
  const live = useLive()
  const isLive = useConnection().state === 'live'
  const { invalidate } = useApiCache()
  useEffect(() => {
    const refresh = (): void => void invalidate(api.managerNotes.list)
    const stopListening = live.onMessage(({ type }) => {
      if (changes.includes(type)) refresh()
    })
    const interval = setInterval(refresh, refreshMs)
    return () => {
      stopListening()
      clearInterval(interval)
    }
  }, [live, invalidate])
  const wasLive = useRef(isLive)
  useEffect(() => {
    if (isLive && !wasLive.current) void invalidate(api.managerNotes.list)
    wasLive.current = isLive
  }, [isLive, invalidate])
}

function useRing(notes: readonly ManagerNote[], ring: () => void): void {
  const rung = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const fresh = notes.filter(({ state }) => state === 'new').map(({ id }) => id)
    if (fresh.some((id) => !rung.current.has(id))) ring()
    rung.current = new Set([...rung.current, ...fresh])
  }, [notes, ring])
}

/** While the page is looked at. A failure is tried again with the next change. */
function useSeen(notes: readonly ManagerNote[]): void {
  const [visible, setVisible] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const update = (): void => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  useEffect(() => {
    const ids = notes.filter(({ state }) => state === 'new').map(({ id }) => id)
    if (visible && ids.length > 0) call(api.managerNotes.markSeen, { body: { ids } }).catch(() => undefined)
  }, [notes, visible])
}

function OpenNotes({ notes }: { notes: readonly ManagerNote[] }): JSX.Element {
  const [name, setName] = useState(() => getStored('manager-name') ?? '')
  return (
    <>
      <div className="max-w-sm">
        <Field
          label={t('Your name, as guests read it')}
          hint={t('On this device. Otherwise they see “The manager”.')}
          maxLength={noteLimits.name}
          autoComplete="off"
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setStored('manager-name', target.value.trim())
          }}
        />
      </div>
      <ul className="flex flex-col divide-y divide-rule">
        {notes.map((note) => (
          <OpenNote key={note.id} note={note} name={name.trim()} />
        ))}
      </ul>
    </>
  )
}

function OpenNote({ note, name }: { note: ManagerNote; name: string }): JSX.Element {
  const { id, state } = note
  const [closing, setClosing] = useState(false)
  const showError = useErrorToast()
  const params = { id }

  const [busy, change] = useChangeOf(api.managerNotes.list, (error) =>
    showError(errorMessage(error, 'That did not work')),
  )

  const take = (): void =>
    change(async () => {
      const body = name === '' ? {} : { name }
      const { by } = await call(api.managerNotes.take, { params, body })
      if (by !== (name || null))
        showError(t('{name} is taking care of it', { name: isolated(by ?? t('The manager')) }))
    })

  const form = useForm({
    initial: { answer: '' },
    parse: ({ answer }) => parse(NoteClosed, answer.trim() === '' ? {} : { answer }),
    submit: (body) =>
      change(async () => {
        const closed = await call(api.managerNotes.close, { params, body })
        if (closed.answer !== (body.answer ?? null)) showError('Somebody else closed it first')
      }),
  })

  return (
    <li className="flex flex-col gap-3 py-4">
      <NoteText note={note} />
      {closing ? (
        <form {...form.props} className="flex flex-col gap-3">
          <Field
            label={t('Short answer (optional)')}
            hint={t('The guest sees it exactly as written.')}
            maxLength={noteLimits.answer}
            autoComplete="off"
            autoFocus
            {...form.field('answer')}
          />
          <div className="flex flex-wrap gap-3">
            <Button type="submit" variant="primary" pending={busy}>
              {t('Close')}
            </Button>
            <Button onClick={() => setClosing(false)}>{t('Cancel')}</Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-wrap gap-3">
          {state !== 'taken' && (
            <Button variant="primary" pending={busy} onClick={take}>
              {t('I’ll take care of it')}
            </Button>
          )}
          <Button pending={busy} onClick={() => setClosing(true)}>
            {t('Close…')}
          </Button>
        </div>
      )}
    </li>
  )
}

function NoteText({ note }: { note: ManagerNote }): JSX.Element {
  const { tableNumber, timestamp, verified, state, by, text } = note
  const now = useNow(10_000)
  return (
    <div className="flex min-w-0 flex-col gap-1 wrap-anywhere">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <strong>{t('Table {table}', { table: tableNumber })}</strong>
        <span className="text-text-mute">
          {t('{time} ago', { time: formatDuration(Math.max(0, now - timestamp)) })}
        </span>
        {state === 'new' && <Badge tone="action">{t('NEW')}</Badge>}
        {state === 'taken' && (
          <Badge tone="done">
            {tRich('{name} is taking care of it', { name: <bdi>{by ?? t('The manager')}</bdi> })}
          </Badge>
        )}
        {!verified && <Badge tone="outline">{t('Unverified')}</Badge>}
      </p>
      <p dir="auto" className="whitespace-pre-line">
        {text}
      </p>
    </div>
  )
}
