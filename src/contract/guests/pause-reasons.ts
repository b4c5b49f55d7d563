import type { PauseReason } from '../requests/requests.ts'

/** Apart from the schemas, which every page loads. */
export const pauseReasonLabels: Record<PauseReason, string> = {
  kitchen: 'Kitchen closed',
  bar: 'Bar closed',
  crew: 'Short-staffed tonight',
  own: 'Own words',
}
