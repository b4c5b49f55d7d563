import { type ComponentType, lazy } from 'react'

const pause = { firstMs: 2_000, mostMs: 30_000 }
const fetches: (() => Promise<unknown>)[] = []

/**
 * A part whose code comes when it is needed, or with `fetchLateParts`. It is asked for until it is there: what
 * keeps it away must not take the requests along, and is over some day.
 */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let part: Promise<ComponentType<Props>> | undefined
  const fetched = (): Promise<ComponentType<Props>> => (part ??= insist(load, pause.firstMs))
  fetches.push(fetched)
  return lazy(async () => ({ default: await fetched() }))
}

/** Fetches what was not needed yet, one after the other: without a connection it is there then. */
export async function fetchLateParts(): Promise<void> {
  for (const fetched of fetches) await fetched()
}

async function insist<Part>(load: () => Promise<Part>, pauseMs: number): Promise<Part> {
  try {
    return await load()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return await insist(load, Math.min(pauseMs * 2, pause.mostMs))
  }
}
