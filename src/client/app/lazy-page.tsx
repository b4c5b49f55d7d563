import { type ComponentType, type JSX, lazy, useState } from 'react'

type Screen = () => JSX.Element

export type LazyPage = ComponentType & {
  isLoaded: () => boolean
  load: () => Promise<void>
}

/**
 * A screen in a file of its own. Once loaded it is shown at once: React would keep the spinner of a plain
 * `lazy` for 300 ms, however fast the file came.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, Screen>>,
  name: Name,
): LazyPage {
  let loaded: Screen | null = null
  async function open(): Promise<{ default: Screen }> {
    loaded ??= (await load())[name]
    return { default: loaded }
  }
  const Later = lazy<Screen>(open)
  function Page(): JSX.Element {
    const [Now] = useState<ComponentType>(() => loaded ?? Later)
    return <Now />
  }
  return Object.assign(Page, { isLoaded: () => loaded !== null, load: async () => void (await open()) })
}
