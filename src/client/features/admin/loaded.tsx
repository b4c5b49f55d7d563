import type { JSX } from 'react'
import { LoadingCard } from './loading-card.tsx'

type LoadedProps<T> = {
  title: string
  query: { data: T | undefined; isError: boolean; refetch: () => unknown }
  children: (data: T) => JSX.Element
}

/** A card once its content is loaded. */
export function Loaded<T>({ title, query, children }: LoadedProps<T>): JSX.Element {
  const { data, isError, refetch } = query
  if (data === undefined) return <LoadingCard title={title} failed={isError} onRetry={refetch} />
  return children(data)
}
