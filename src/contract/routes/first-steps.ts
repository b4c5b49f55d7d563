import type { FirstSteps } from '../accounts/first-steps.ts'
import { type Routes, unchecked } from './route.ts'

export const firstSteps = {
  list: { method: 'GET', path: '/api/first-steps', reply: unchecked<FirstSteps>() },
  /** They are not shown again. */
  finish: { method: 'POST', path: '/api/first-steps/finish' },
} satisfies Routes
