import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { CallInput, Reply, Route } from '#contract/api.ts'
import { queryFor } from './queries.ts'

/** Asked again and again while the page is seen: for what others change. */
export const usePolledQuery = <R extends Route>(
  route: R,
  input: CallInput<R>,
  everyMs: number,
): UseQueryResult<Reply<R>> =>
  useQuery({ ...queryFor(route, input), gcTime: 0, refetchOnMount: 'always', refetchInterval: everyMs })
