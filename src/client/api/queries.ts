import {
  QueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  notifyManager,
  queryOptions,
  skipToken,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Reply, Route, Wanted } from '#contract/api.ts'
import { ApiError, call } from './http.ts'

/** Data never goes stale, nothing is retried, nothing is fetched again by itself. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // A restaurant's own network may have no internet: the browser's "offline" does not mean our server.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

/** The parts of the path, and what stands in it: `['api', 'crew-by-restaurant', { query: … }]`. */
const keyOf = (route: Route, input: unknown = {}): QueryKey => [...partsOf(route), input]
const partsOf = (route: Route): string[] => route.path.split('/').slice(1)

const read = <T>(queryKey: QueryKey, queryFn: (signal: AbortSignal) => Promise<T>) =>
  queryOptions<T>({ queryKey, queryFn: async ({ signal }) => await queryFn(signal) })

/** A read for `useQuery`; a 401 is an error. */
const queryOf = <R extends Route>(route: R, input: Wanted<R>) =>
  read(keyOf(route, input), async (signal) => await call(route, input, { signal }))

/** The same read, answering null to who is not signed in (401). */
export const queryOrNullOf = <R extends Route>(route: R, input: Wanted<R>) =>
  read<Reply<R> | null>([...keyOf(route, input), 'or null'], async (signal) => {
    try {
      return await call(route, input, { signal })
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 401) return null
      throw problem
    }
  })

/** Reads while there is something to ask with: `useRead(route, id ? { query: { id } } : null)`. */
export const useRead = <R extends Route>(route: R, input: Wanted<R> | null): UseQueryResult<Reply<R>> =>
  useQuery(input === null ? unasked<Reply<R>>(route) : queryOf(route, input))

/** The same, null for who is not signed in. */
export const useReadOrNull = <R extends Route>(
  route: R,
  input: Wanted<R> | null,
): UseQueryResult<Reply<R> | null> =>
  useQuery(input === null ? unasked<Reply<R> | null>(route) : queryOrNullOf(route, input))

const unasked = <T>(route: Route) =>
  queryOptions<T>({ queryKey: [...partsOf(route), 'not asked'], queryFn: skipToken })

/** Reads anew for every screen that opens, what changes without a write of this browser. */
export const useFreshRead = <R extends Route>(route: R, input: Wanted<R> | null): UseQueryResult<Reply<R>> =>
  useQuery(
    input === null
      ? unasked<Reply<R>>(route)
      : { ...queryOf(route, input), gcTime: 0, refetchOnMount: 'always' },
  )

/** Fetches every read of these routes again, whatever was asked in them. */
export async function refresh(client: QueryClient, routes: Route[]): Promise<void> {
  await Promise.all(routes.map(async (route) => await client.invalidateQueries({ queryKey: partsOf(route) })))
}

export type Reads = {
  /** What a read has answered so far. */
  known: <R extends Route>(route: R, input: Wanted<R>) => Reply<R> | undefined
  /** Puts what a write answered where that read finds it. */
  keep: <R extends Route>(route: R, input: Wanted<R>, reply: Reply<R>) => void
  /** Asks now, whatever is known. */
  again: <R extends Route>(route: R, input: Wanted<R>) => Promise<Reply<R>>
  refresh: (...routes: Route[]) => Promise<void>
  /** When the screens show what was kept. */
  shown: () => Promise<void>
}

/** For writes that do more than make reads old. It keeps its identity, so effects may depend on it. */
export function useReads(): Reads {
  const client = useQueryClient()
  return useMemo(
    () => ({
      known: (route, input) => client.getQueryData(queryOf(route, input).queryKey),
      keep(route, input, reply) {
        const { queryKey } = queryOf(route, input)
        // An answer that is still under way is older than this one.
        void client.cancelQueries({ queryKey })
        client.setQueryData(queryKey, reply)
      },
      again: async (route, input) => await client.fetchQuery({ ...queryOf(route, input), staleTime: 0 }),
      refresh: async (...routes) => await refresh(client, routes),
      shown: async () => await new Promise((resolve) => notifyManager.schedule(resolve)),
    }),
    [client],
  )
}

/** A write, which names the reads it makes old: `useWrite(api.crew.add, api.crew.list)`. */
export function useWrite<R extends Route>(
  route: R,
  ...refreshes: Route[]
): UseMutationResult<Reply<R>, Error, Wanted<R>> {
  const client = useQueryClient()
  return useMutation<Reply<R>, Error, Wanted<R>>({
    mutationFn: async (input) => await call(route, input),
    onSuccess: async () => await refresh(client, refreshes),
  })
}
