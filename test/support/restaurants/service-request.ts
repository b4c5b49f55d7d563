import type { ServiceRequest } from '#contract/requests/requests.ts'

/** A request for drinks that nobody has accepted yet. */
export const buildRequest = (
  fields: Pick<ServiceRequest, 'id' | 'tableNumber'> & Partial<ServiceRequest>,
): ServiceRequest => ({
  serviceType: 'drinks',
  timestamp: 0,
  state: 'waiting',
  asks: 1,
  acceptedBy: null,
  seen: 0,
  crew: [],
  level: 0,
  verified: true,
  ...fields,
})
