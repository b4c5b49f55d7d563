import { type ComponentType, lazy } from 'react'

const tries = 4
const pauseMs = 2_000

const Nothing = (): null => null

/** A part whose code comes when it is needed: what keeps it away must not take the requests along. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await loaded(load, tries) }))
}

async function loaded<Props>(
  load: () => Promise<ComponentType<Props>>,
  left: number,
): Promise<ComponentType<Props>> {
  try {
    return await load()
  } catch {
    if (left === 1) return Nothing
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return await loaded(load, left - 1)
  }
}
