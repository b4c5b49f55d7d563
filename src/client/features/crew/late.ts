import { type ComponentType, lazy } from 'react'

const retryDelay = { firstMs: 2_000, mostMs: 30_000 }
const lazyLoads: (() => Promise<unknown>)[] = []

/**
 * A part whose code comes when it is needed, or with `fetchLateParts`. It is asked for until it is there: what
 * keeps it away must not take the requests along, and is over some day.
 */
export function lazyWithRetry<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let part: Promise<ComponentType<Props>> | undefined
  const fetched = (): Promise<ComponentType<Props>> => (part ??= retryUntilLoaded(load, retryDelay.firstMs))
  lazyLoads.push(fetched)
  return lazy(async () => ({ default: await fetched() }))
}

/** Fetches what was not needed yet, one after the other: without a connection it is there then. */
export async function preloadLazyParts(): Promise<void> {
  for (const fetched of lazyLoads) await fetched()
}

async function retryUntilLoaded<Part>(load: () => Promise<Part>, pauseMs: number): Promise<Part> {
  try {
    return await load()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return await retryUntilLoaded(load, Math.min(pauseMs * 2, retryDelay.mostMs))
  }
}
