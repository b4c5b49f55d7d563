import { type JSX } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'

/** The guest said so, and how often. */
export function StillWaiting({
  request: { stillWaiting = 0 },
}: {
  request: ServiceRequest
}): JSX.Element | null {
  if (stillWaiting === 0) return null
  return <p className="font-bold text-late">Still waiting{stillWaiting > 1 && ` · ${stillWaiting}×`}</p>
}
