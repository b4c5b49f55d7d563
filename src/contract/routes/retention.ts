import { RetentionChange, type RetentionState } from '../accounts/retention.ts'
import { type Routes, unchecked } from './route.ts'

export const retention = {
  state: { method: 'GET', path: '/api/retention', reply: unchecked<RetentionState>() },
  /** What is too old is removed in the night that begins at least twelve hours later. */
  set: { method: 'PUT', path: '/api/retention', body: RetentionChange, reply: unchecked<RetentionState>() },
} satisfies Routes
