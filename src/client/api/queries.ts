import {
  type Query,
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
import { useTask } from '../lib/hooks/use-task.ts'
import { ApiError, call, isSignedOut } from './http.ts'

/** Nothing goes stale by itself, is retried or is refetched without being invalidated. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // A restaurant's network may have no internet: the browser's "offline" says nothing about our server.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

/** `['api', 'crew-by-restaurant', { query: … }]`. */
const queryKeyOf = (route: Route, input: unknown = {}): QueryKey => [...pathSegments(route), input]
const pathSegments = (route: Route): string[] => route.path.split('/').slice(1)

const createQuery = <T>(queryKey: QueryKey, queryFn: (signal: AbortSignal) => Promise<T>) =>
  queryOptions<T>({ queryKey, queryFn: async ({ signal }) => await queryFn(signal) })

export const queryFor = <R extends Route>(route: R, input: CallInput<R>) =>
  createQuery(queryKeyOf(route, input), async (signal) => await call(route, input, { signal }))

/** Null instead of an error when nobody is signed in (401). */
export const queryOrNull = <R extends Route>(route: R, input: CallInput<R>) =>
  createQuery([...queryKeyOf(route, input), 'or null'], (signal) => callOrNull(route, input, signal))

export async function callOrNull<R extends Route>(
  route: R,
  input: CallInput<R>,
  signal: AbortSignal,
): Promise<Reply<R> | null> {
  try {
    return await call(route, input, { signal })
  } catch (error) {
    if (isSignedOut(error)) return null
    throw error
  }
}

/** Skipped while the input is null: `useApiQuery(route, id ? { query: { id } } : null)`. */
export const useApiQuery = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R>> =>
  useQuery(input === null ? skippedQuery<Reply<R>>(route) : queryFor(route, input))

/** The data is null when nobody is signed in. */
export const useApiQueryOrNull = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R> | null> =>
  useQuery(input === null ? skippedQuery<Reply<R> | null>(route) : queryOrNull(route, input))

const skippedQuery = <T>(route: Route) =>
  queryOptions<T>({ queryKey: [...pathSegments(route), 'skipped'], queryFn: skipToken })

/** Refetched by every screen that opens: for data that changes without a write of this browser. */
export const useFreshApiQuery = <R extends Route>(
  route: R,
  input: CallInput<R> | null,
): UseQueryResult<Reply<R>> =>
  useQuery(
    input === null
      ? skippedQuery<Reply<R>>(route)
      : { ...queryFor(route, input), gcTime: 0, refetchOnMount: 'always' },
  )

/**
 * Refetches every query of these routes, whatever its input. A first read that is under way may be older than the change,
 * and the library would keep it, so another follows.
 */
export async function invalidateRoutes(client: QueryClient, routes: Route[]): Promise<void> {
  await Promise.all(routes.map(async (route) => await invalidateRoute(client, pathSegments(route))))
}

async function invalidateRoute(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const isFirst = client.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0
  await client.invalidateQueries({ queryKey })
  if (isFirst) await client.invalidateQueries({ queryKey })
}

export type ApiCache = {
  getData: <R extends Route>(route: R, input: CallInput<R>) => Reply<R> | undefined
  setData: <R extends Route>(route: R, input: CallInput<R>, reply: Reply<R>) => void
  refetch: <R extends Route>(route: R, input: CallInput<R>) => Promise<Reply<R>>
  invalidate: (...routes: Route[]) => Promise<void>
  /** Reads again what could not be read. */
  retry: (...routes: Route[]) => Promise<void>
  /** Resolves when the screens show the data that was set. */
  whenRendered: () => Promise<void>
}

/** For mutations that do more than invalidate queries. Its identity is stable, so effects may depend on it. */
export function useApiCache(): ApiCache {
  const client = useQueryClient()
  return useMemo<ApiCache>(
    () => ({
      getData: (route, input) => client.getQueryData(queryFor(route, input).queryKey),
      setData(route, input, reply) {
        const { queryKey } = queryFor(route, input)
        // A response that is still under way is older than this one.
        void client.cancelQueries({ queryKey })
        client.setQueryData(queryKey, reply)
      },
      refetch: async (route, input) => await client.fetchQuery({ ...queryFor(route, input), staleTime: 0 }),
      invalidate: async (...routes) => await invalidateRoutes(client, routes),
      async retry(...routes) {
        const predicate = ({ state }: Query): boolean => state.status === 'error'
        const retryRoute = (route: Route) =>
          client.refetchQueries({ queryKey: pathSegments(route), type: 'active', predicate })
        await Promise.all(routes.map(retryRoute))
      },
      whenRendered: async () => await new Promise((resolve) => notifyManager.schedule(resolve)),
    }),
    [client],
  )
}

/**
 * A mutation and the routes it invalidates: `useApiMutation(api.crew.add, api.crew.list)`. Where no answer came, it may
 * have been done all the same, and they are read again, too.
 */
export function useApiMutation<R extends Route>(
  route: R,
  ...invalidates: Route[]
): UseMutationResult<Reply<R>, Error, CallInput<R>> {
  const client = useQueryClient()
  return useMutation<Reply<R>, Error, CallInput<R>>({
    mutationFn: async (input) => await call(route, input),
    onSuccess: async () => await invalidateRoutes(client, invalidates),
    onError(error) {
      const status = error instanceof ApiError ? error.status : 0
      if (status === 0 || status >= 500) void invalidateRoutes(client, invalidates)
    },
  })
}

/**
 * Runs one change at a time; a failure goes to `onError`. Either way the route is read again: it may have been somebody
 * else's change that was in the way.
 */
export function useChangeOf(
  route: Route,
  onError: (error: unknown) => void,
): [busy: boolean, change: (task: () => Promise<void>) => void] {
  const [busy, run] = useTask()
  const client = useQueryClient()
  const change = (task: () => Promise<void>): void =>
    void run(async () => {
      await task().catch(onError)
      await invalidateRoutes(client, [route])
    })
  return [busy, change]
}
