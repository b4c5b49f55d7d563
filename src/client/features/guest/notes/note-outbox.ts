import type { api } from '#contract/api.ts'
import { hasKey } from '../answers.ts'
import { openOutbox, postKept } from '../taps/browser-outbox.ts'
import type { Kept, Outbox } from '../taps/outbox.ts'

/** A note to the manager, on its way to the server. */
export type KeptNote = Kept & { text: string }

const notesPath: (typeof api.guestNotes.send)['path'] = '/api/guest-notes'

let outbox: Outbox<KeptNote> | undefined

/** Keeps and sends notes as the page keeps and sends taps. */
export const noteOutbox = (): Outbox<KeptNote> =>
  (outbox ??= openOutbox('note', isKeptNote, ({ k, at: _at, ...note }) =>
    postKept(notesPath, { ...note, ...(k !== null && { k }) }, (reply) => reply),
  ))

const isKeptNote = (value: unknown): value is KeptNote => hasKey(value, 'id') && hasKey(value, 'text')
