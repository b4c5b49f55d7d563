import type { QueryClient } from '@tanstack/react-query'
import type { StaffSession } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import type { KeptList, LiveChannel } from '../api/live/live-channel.ts'
import { queryFor, queryOrNull } from '../api/queries.ts'
import { loadLastList } from '../features/crew/offline/last-list.ts'
import { localDate } from '../lib/time/dates.ts'
import { isServerMessage } from './is-server-message.ts'

let isRestored = false

/** What the page last knew, once for each page: afterwards the server's answers are newer. */
export function restoreLastList(client: QueryClient): KeptList | null {
  const list = isRestored ? null : loadLastList(isServerMessage)
  isRestored = true
  if (!list) return null
  const { restaurantId, member, ownLogin, crew, tables, at } = list
  const session: StaffSession = {
    restaurantName: restaurantId,
    grants: [],
    crewMember: ownLogin ? member : null,
  }
  client.setQueryData(queryOrNull(api.accounts.session, {}).queryKey, session)
  const query = { restaurantId }
  client.setQueryData(queryOrNull(api.crew.byRestaurant, { query }).queryKey, [...crew])
  if (member) {
    // Nothing but their numbers is shown.
    const known = tables.map((number) => ({ id: number, tableNumber: number, category: 'table' as const }))
    client.setQueryData(queryFor(api.floor.tablesByRestaurant, { query }).queryKey, known)
    const day = { crewMemberId: member.id, date: localDate(at) }
    client.setQueryData(
      queryFor(api.floor.crewAssignments, { query: { ...query, ...day } }).queryKey,
      known.map(({ id }) => ({ ...day, tableId: id })),
    )
  }
  return list
}

/** Everything that was asked without the server, or taken from the last list, is asked again. */
export function refetchOnReturn(client: QueryClient, live: LiveChannel): void {
  const stop = live.onConnectionChange(() => {
    if (live.connection.state !== 'live') return
    stop()
    void client.invalidateQueries()
  })
}
