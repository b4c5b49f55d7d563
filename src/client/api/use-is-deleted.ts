import { api } from '#contract/api.ts'
import { useFreshApiQuery } from './queries.ts'

/** Whether the owner has deleted the restaurant, also on another screen before this one opened. */
export function useIsDeleted(): boolean {
  const { data } = useFreshApiQuery(api.accounts.session, {})
  return data?.eraseAt !== undefined
}
