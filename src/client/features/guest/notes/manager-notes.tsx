import {
  type JSX,
  type RefObject,
  type SubmitEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import type { api } from '#contract/api.ts'
import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { noteLimits } from '#contract/guests/note-limits.ts'
import type { GuestPage } from '#contract/guests/visits.ts'
import { newId } from '../../../lib/new-id.ts'
import { t } from '../../../lib/texts/translate.ts'
import type { Place } from '../guest-flow.ts'
import type { TableRequests } from '../requests/table-requests.ts'
import { deviceHeader, recallCodeProof } from '../taps/guest-storage.ts'
import { type NoteBook, noteBookOf } from './note-book.ts'
import { NoteCard, noteStatus } from './note-card.tsx'
import { noteOutbox } from './note-outbox.ts'

type ManagerNotesProps = {
  page: GuestPage
  place: Place
  table: TableRequests
  /** What became of a note is read where nothing can be asked for, too. */
  canWrite?: boolean
}

/** "Something is not right": a private word to the manager, and what became of it. A part of its own. */
export function ManagerNotes({ page, place, table, canWrite = false }: ManagerNotesProps): JSX.Element {
  const { restaurantId, tableNumber } = place
  const outbox = noteOutbox()
  const waiting = useSyncExternalStore(outbox.subscribe, outbox.waiting).filter(
    (note) => note.restaurantId === restaurantId,
  )
  const reachable = useSyncExternalStore(outbox.subscribeReachability, outbox.isReachable)
  const book = noteBookOf(page, restaurantId, table)
  const { notes, draft, problem, refused } = useSyncExternalStore(book.subscribe, book.read)
  const opener = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  /** Only what the guest has just done moves the focus, not what comes from the server. */
  const isPressed = useRef(false)
  useNews(book, restaurantId, table)
  useLayoutEffect(() => {
    if (isPressed.current) (opener.current ?? field.current)?.focus()
    isPressed.current = false
  }, [draft])

  function press(change: Parameters<typeof book.change>[0]): void {
    isPressed.current = true
    book.change({ problem: null, ...change })
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const text = draft?.trim() ?? ''
    if (text === '') {
      field.current?.focus()
      return book.change({ problem: t('Please tell us what is wrong') })
    }
    const at = Date.now()
    const k = place.k ?? recallCodeProof(restaurantId, tableNumber)
    press({ draft: null })
    outbox.add({ id: newId(at), restaurantId, tableNumber, k, at, text })
  }

  const sending = reachable ? t('Sending…') : t("We can't reach the restaurant right now.")
  return (
    <>
      <div role="status" className={notes.length + waiting.length + refused.length > 0 ? 'notes' : undefined}>
        {notes.slice(-maxShown).map((note) => (
          <NoteCard key={note.id} status={noteStatus(note)} note={note} />
        ))}
        {waiting.map((note) => (
          <NoteCard key={note.id} status={sending} note={note} />
        ))}
        {refused.map(({ note, problem }) => (
          <NoteCard key={note.id} status={problem} note={note} />
        ))}
      </div>
      {canWrite && problem !== null && (
        <p role="alert" className="problem" id={problemId}>
          {problem}
        </p>
      )}
      {canWrite && draft === null && (
        <p className="cancel">
          <button ref={opener} type="button" onClick={() => press({ draft: '' })}>
            {t('Something is not right')}
          </button>
        </p>
      )}
      {canWrite && draft !== null && (
        <NoteForm
          draft={draft}
          field={field}
          isWrong={problem !== null}
          onChange={(text) => book.change({ draft: text })}
          onSubmit={submit}
          onCancel={() => press({ draft: null })}
        />
      )}
    </>
  )
}

/** The latest; what became of earlier ones has been read. */
const maxShown = 2

const problemId = 'note-problem'

type NoteFormProps = {
  draft: string
  field: RefObject<HTMLTextAreaElement | null>
  isWrong: boolean
  onChange: (draft: string) => void
  onSubmit: (event: SubmitEvent) => void
  onCancel: () => void
}

function NoteForm({ draft, field, isWrong, onChange, onSubmit, onCancel }: NoteFormProps): JSX.Element {
  return (
    <form className="notes" onSubmit={onSubmit}>
      <label>
        {t('A word to the manager')}
        <small>{t('Only the manager reads it. At most 280 characters.')}</small>
        <textarea
          ref={field}
          rows={3}
          dir="auto"
          maxLength={noteLimits.text}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? problemId : undefined}
          value={draft}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
      <button style={{ background: 'var(--action)', color: 'var(--on-action)' }}>{t('Send')}</button>
      <p className="cancel">
        <button type="button" style={{ minWidth: '3.5rem', justifyContent: 'start' }} onClick={onCancel}>
          {t('Cancel')}
        </button>
      </p>
    </form>
  )
}

const minePath: (typeof api.guestNotes.mine)['path'] = '/api/guest-notes/mine'

/** With every news of the table, while something may still become of a note. */
function useNews(book: NoteBook, restaurantId: string, table: TableRequests): void {
  const isOpen = book.read().notes.some(({ state }) => state !== 'closed')
  useEffect(() => {
    if (book.askedAt === table || !(isOpen || book.askedAt === null)) return
    let isOutdated = false
    const ask = (): void => {
      const { notes: before } = book.read()
      fetchNotes(restaurantId).then(
        (notes) => {
          if (isOutdated) return
          // What was sent meanwhile may be newer than this answer.
          if (book.read().notes !== before) return ask()
          book.askedAt = table
          book.change({ notes })
        },
        () => {},
      )
    }
    ask()
    return () => {
      isOutdated = true
    }
  }, [book, table, isOpen, restaurantId])
}

async function fetchNotes(restaurantId: string): Promise<GuestNote[]> {
  const query = new URLSearchParams({ restaurantId }).toString()
  const response = await fetch(`${minePath}?${query}`, { credentials: 'include', headers: deviceHeader() })
  if (!response.ok) throw new Error(`The notes were refused: ${response.status}`)
  const notes: GuestNote[] = await response.json()
  // A portal of the network may answer in the server's place.
  if (!Array.isArray(notes)) throw new TypeError(minePath)
  return notes
}
