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
import type { Reply, Route, CallInput } from '#contract/api.ts'
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
const queryKeyOf = (route: Route, input: unknown = {}): QueryKey => [...pathSegments(route), input]
const pathSegments = (route: Route): string[] => route.path.split('/').slice(1)

const createQuery = <T>(queryKey: QueryKey, queryFn: (signal: AbortSignal) => Promise<T>) =>
  queryOptions<T>({ queryKey, queryFn: async ({ signal }) => await queryFn(signal) })

/** A read for `useQuery`; a 401 is an error. */
const queryFor = <R extends Route>(route: R, input: CallInput<R>) =>
  createQuery(queryKeyOf(route, input), async (signal) => await call(route, input, { signal }))

/** The same read, answering null to who is not signed in (401). */
export const queryOrNull = <R extends Route>(route: R, input: CallInput<R>) =>
  createQuery<Reply<R> | null>([...queryKeyOf(route, input), 'or null'], async (signal) => {
    try {
      return await call(route, input, { signal })
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 401) return null
      throw problem
    }
  })

/** Reads while there is something to ask with: `useRead(route, id ? { query: { id } } : null)`. */
export const useApiQuery = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R>> =>
  useQuery(input === null ? skippedQuery<Reply<R>>(route) : queryFor(route, input))

/** The same, null for who is not signed in. */
export const useApiQueryOrNull = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R> | null> =>
  useQuery(input === null ? skippedQuery<Reply<R> | null>(route) : queryOrNull(route, input))

const skippedQuery = <T>(route: Route) =>
  queryOptions<T>({ queryKey: [...pathSegments(route), 'not asked'], queryFn: skipToken })

/** Reads anew for every screen that opens, what changes without a write of this browser. */
export const useFreshApiQuery = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R>> =>
  useQuery(
    input === null
      ? skippedQuery<Reply<R>>(route)
      : { ...queryFor(route, input), gcTime: 0, refetchOnMount: 'always' },
  )

/** Fetches every read of these routes again, whatever was asked in them. */
export async function invalidateRoutes(client: QueryClient, routes: Route[]): Promise<void> {
  await Promise.all(
    routes.map(async (route) => await client.invalidateQueries({ queryKey: pathSegments(route) })),
  )
}

export type ApiCache = {
  /** What a read has answered so far. */
  getData: <R extends Route>(route: R, input: CallInput<R>) => Reply<R> | undefined
  /** Puts what a write answered where that read finds it. */
  setData: <R extends Route>(route: R, input: CallInput<R>, reply: Reply<R>) => void
  /** Asks now, whatever is known. */
  refetch: <R extends Route>(route: R, input: CallInput<R>) => Promise<Reply<R>>
  invalidate: (...routes: Route[]) => Promise<void>
  /** When the screens show what was kept. */
  whenRendered: () => Promise<void>
}

/** For writes that do more than make reads old. It keeps its identity, so effects may depend on it. */
export function useApiCache(): ApiCache {
  const client = useQueryClient()
  return useMemo<ApiCache>(
    () => ({
      getData: (route, input) => client.getQueryData(queryFor(route, input).queryKey),
      setData(route, input, reply) {
        const { queryKey } = queryFor(route, input)
        // An answer that is still under way is older than this one.
        void client.cancelQueries({ queryKey })
        client.setQueryData(queryKey, reply)
      },
      refetch: async (route, input) => await client.fetchQuery({ ...queryFor(route, input), staleTime: 0 }),
      invalidate: async (...routes) => await invalidateRoutes(client, routes),
      whenRendered: async () => await new Promise((resolve) => notifyManager.schedule(resolve)),
    }),
    [client],
  )
}

/** A write, which names the reads it makes old: `useWrite(api.crew.add, api.crew.list)`. */
export function useApiMutation<R extends Route>(
  route: R,
  ...refreshes: Route[]
): UseMutationResult<Reply<R>, Error, CallInput<R>> {
  const client = useQueryClient()
  return useMutation<Reply<R>, Error, CallInput<R>>({
    mutationFn: async (input) => await call(route, input),
    onSuccess: async () => await invalidateRoutes(client, refreshes),
  })
}
