import type { ClosedRequest, ServiceRequest } from '#contract/requests.ts'

/** What a screen showed. */
export type WorkSnapshot = {
  open: readonly ServiceRequest[]
  recent: readonly ClosedRequest[]
  /** Names of those for whom `me` covers. */
  covering: readonly string[]
}

export type WorkChanges = {
  /** Taken back by their guests while `me` was on the way. */
  cancelled: readonly ServiceRequest[]
  /** Somebody else was on the way, and now `me` is. */
  handedOver: readonly ServiceRequest[]
  covering: readonly string[]
}

/** What happened to the work of `me` between two looks. Nobody in particular is null. */
export function diffWork(before: WorkSnapshot, after: WorkSnapshot, me: string | null): WorkChanges {
  const over = new Set(before.recent.map(({ request }) => request.id))
  const holders = new Map(before.open.map(({ id, acceptedBy }) => [id, acceptedBy?.id]))
  return {
    cancelled: after.recent
      .filter(({ request, cancelled }) => cancelled && !over.has(request.id) && isAcceptedBy(request, me))
      .map(({ request }) => request),
    handedOver: after.open.filter((request) => {
      const holder = holders.get(request.id)
      return me !== null && isAcceptedBy(request, me) && typeof holder === 'string' && holder !== me
    }),
    covering: after.covering.filter((name) => !before.covering.includes(name)),
  }
}

const isAcceptedBy = ({ acceptedBy }: ServiceRequest, me: string | null): boolean =>
  acceptedBy !== null && acceptedBy.id === me

export function tablesText(requests: readonly ServiceRequest[]): string {
  const tables = [...new Set(requests.map(({ tableNumber }) => tableNumber))]
  return `${tables.length === 1 ? 'Table' : 'Tables'} ${tables.join(', ')}`
}
