import * as v from 'valibot'
import {
  type GuestNote,
  type ManagerNote,
  type ManagerNotes,
  NewGuestNote,
  NoteClosed,
  NotesSeen,
  NoteTaken,
} from '../guests/manager-notes.ts'
import { RestaurantRef } from '../requests/requests.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const guestNotes = {
  /** 201 for a new note; 200 if this repeats an earlier one. */
  send: { method: 'POST', path: '/api/guest-notes', body: NewGuestNote, reply: unchecked<GuestNote>() },
  /** The notes of this device, during its visit. */
  mine: {
    method: 'GET',
    path: '/api/guest-notes/mine',
    query: v.object({ restaurantId: RestaurantRef }),
    reply: unchecked<GuestNote[]>(),
  },
} satisfies Routes

/** Each answers with the note as it is now: the first of several managers wins. */
export const managerNotes = {
  list: { method: 'GET', path: '/api/manager-notes', reply: unchecked<ManagerNotes>() },
  markSeen: { method: 'POST', path: '/api/manager-notes/seen', body: NotesSeen },
  take: {
    method: 'POST',
    path: '/api/manager-notes/:id/take',
    params: idParams,
    body: NoteTaken,
    reply: unchecked<ManagerNote>(),
  },
  close: {
    method: 'POST',
    path: '/api/manager-notes/:id/close',
    params: idParams,
    body: NoteClosed,
    reply: unchecked<ManagerNote>(),
  },
} satisfies Routes
