import {
  ButtonPress,
  type CreatedTableButton,
  NewTableButton,
  type TableButton,
} from '../requests/buttons.ts'
import { RequestReply } from '../requests/requests.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const tableButtons = {
  list: { method: 'GET', path: '/api/buttons', reply: unchecked<TableButton[]>() },
  add: {
    method: 'POST',
    path: '/api/buttons',
    body: NewTableButton,
    reply: unchecked<CreatedTableButton>(),
    status: 201,
  },
  remove: { method: 'DELETE', path: '/api/buttons/:id', params: idParams },
} satisfies Routes

/** A group of its own, so that no page's script contains what only buttons call. */
export const buttons = {
  /** 201 for a new request; 200 if it was merged into an open one. */
  press: { method: 'POST', path: '/api/buttons/press', body: ButtonPress, reply: RequestReply },
} satisfies Routes
