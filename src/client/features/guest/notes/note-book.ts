import type { RefusalBody } from '#contract/errors.ts'
import type { GuestNote } from '#contract/guests/manager-notes.ts'
import type { GuestPage } from '#contract/guests/visits.ts'
import { upsertById } from '../../../lib/collections.ts'
import { t } from '../../../lib/texts/translate.ts'
import { refusalText } from '../language.ts'
import type { TableRequests } from '../requests/table-requests.ts'
import type { OutboxEvent } from '../taps/outbox.ts'
import { type KeptNote, noteOutbox } from './note-outbox.ts'

type Written = {
  notes: readonly GuestNote[]
  /** Null unless the guest is writing. */
  draft: string | null
  problem: string | null
  /** Came back while the guest was writing something else. */
  refused: readonly { note: KeptNote; problem: string }[]
}

/** What a guest wrote to one restaurant. */
export type NoteBook = {
  /** The same object as long as nothing changes. */
  read: () => Written
  change: (change: Partial<Written>) => void
  subscribe: (listener: () => void) => () => void
  /** What was known of the table when the notes were asked for; null if they never were. */
  askedAt: TableRequests | null
}

/** They outlive the menu, which every confirmation replaces. */
const books = new WeakMap<GuestPage, Map<string, NoteBook>>()

export function noteBookOf(page: GuestPage, restaurantId: string, table: TableRequests): NoteBook {
  const ofPage = books.get(page) ?? new Map<string, NoteBook>()
  books.set(page, ofPage)
  const book = ofPage.get(restaurantId) ?? openBook(page, restaurantId, table)
  ofPage.set(restaurantId, book)
  return book
}

function openBook({ notes, kept, given }: GuestPage, restaurantId: string, table: TableRequests): NoteBook {
  const isOfPage = restaurantId === given.restaurantId
  let written: Written = { notes: (isOfPage && notes) || [], draft: null, problem: null, refused: [] }
  const listeners = new Set<() => void>()
  const change = (changed: Partial<Written>): void => {
    written = { ...written, ...changed }
    for (const listener of listeners) listener()
  }
  noteOutbox().subscribeWithReplay((event) => {
    const { tap } = event
    if (tap.restaurantId !== restaurantId) return
    if (event.type === 'stored') change({ notes: upsertById(written.notes, toNote(event)) })
    if (event.type !== 'refused') return
    // What was written is not lost.
    const problem = problemOf(event)
    if (written.draft) change({ refused: [...written.refused, { note: tap, problem }] })
    else change({ problem, draft: tap.text })
  })
  return {
    read: () => written,
    change,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    // A page that was kept knows of none.
    askedAt: isOfPage && kept === undefined ? table : null,
  }
}

const problemOf = (refusal: RefusalBody): string =>
  refusal.code === 'conflict'
    ? t('Messages to the manager are switched off here. Please ask your waiter.')
    : refusalText(refusal)

/** The answer of our own server. */
const toNote = ({ tap, ...event }: OutboxEvent<KeptNote>): GuestNote => {
  const given: Partial<GuestNote> = 'request' in event ? Object(event.request) : {}
  return {
    id: tap.id,
    text: tap.text,
    state: given.state ?? 'new',
    by: given.by ?? null,
    answer: given.answer ?? null,
  }
}
