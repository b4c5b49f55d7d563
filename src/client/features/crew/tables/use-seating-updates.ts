import { api } from '#contract/api.ts'
import { useListUpdates } from '../../../api/live/use-list-updates.ts'

const changes = ['seating-changed'] as const
const lists = [api.seating.list, api.tables.party]

/** For what shows who sits where. */
export const useSeatingUpdates = (): void => useListUpdates(changes, lists)
