import { type ComponentType, type JSX, lazy, type ReactNode, useCallback, useEffect, useState } from 'react'
import { backoffMs } from '#contract/backoff.ts'
import { isPageReachable } from '../browser/page-reachable.ts'

/** A component whose code comes in a file of its own. */
export type LazyComponent<Props extends object = object> = ComponentType<Props> & {
  isLoaded: () => boolean
  load: () => Promise<void>
}

type Loader<Props extends object> = () => Promise<ComponentType<Props>>

const retryDelay = { firstMs: 2_000, growth: 2, maxMs: 30_000 }
const partLoads: (() => Promise<void>)[] = []

/**
 * A whole screen: it suspends until its code has come, and a failure goes to the error boundary. Once loaded it
 * shows at once: React would keep the fallback of a plain `lazy` for 300 ms, however fast the file came.
 */
export function lazyPage<Props extends object>(loader: Loader<Props>): LazyComponent<Props> {
  const code = createCode(loader)
  const Suspending = lazy(async () => ({ default: await code.get() }))
  function LazyPage(props: Props): JSX.Element {
    const [Component] = useState<ComponentType<Props>>(() => code.loaded() ?? Suspending)
    return <Component {...props} />
  }
  return Object.assign(LazyPage, code.handle)
}

type PartOptions = {
  /** What shows until the code has come. */
  fallback?: (failed: boolean, retry: () => void) => ReactNode
  /** `manual`: only when the fallback calls `retry`. */
  retry?: 'automatic' | 'manual'
  /** False for what most people never see: it comes when it is shown. */
  preload?: boolean
}

/** A part of a screen: when its code cannot be loaded, the rest of the screen goes on without it. */
export function lazyPart<Props extends object>(
  loader: Loader<Props>,
  { fallback = () => null, retry = 'automatic', preload = retry === 'automatic' }: PartOptions = {},
): LazyComponent<Props> {
  const code = createCode(loader)
  if (preload) partLoads.push(code.handle.load)

  function LazyPart(props: Props): JSX.Element {
    const [Component, setComponent] = useState(code.loaded)
    const [failed, setFailed] = useState(false)
    const load = useCallback(async (): Promise<boolean> => {
      try {
        const loaded = await code.get()
        setComponent(() => loaded)
        return true
      } catch {
        setFailed(true)
        return false
      }
    }, [])
    useEffect(() => {
      if (Component) return undefined
      let unmounted = false
      const attempt = async (): Promise<boolean> => unmounted || (await load())
      void (retry === 'automatic' ? repeatUntilTrue(attempt) : attempt())
      return () => {
        unmounted = true
      }
    }, [Component, load])
    const retryNow = async (): Promise<void> => {
      setFailed(false)
      // Some browsers keep a failed file for as long as the page is open.
      if (!(await load()) && (await isPageReachable())) location.reload()
    }
    if (Component) return <Component {...props} />
    return <>{fallback(failed, () => void retryNow())}</>
  }
  return Object.assign(LazyPart, code.handle)
}

/** Fetches the parts that nobody has opened yet, one after the other, so that they also open offline. */
export async function preloadLazyParts(): Promise<void> {
  for (const load of partLoads)
    await repeatUntilTrue(() =>
      load().then(
        () => true,
        () => false,
      ),
    )
}

function createCode<Props extends object>(loader: Loader<Props>) {
  let component: ComponentType<Props> | null = null
  const get = async (): Promise<ComponentType<Props>> => (component ??= await loader())
  return {
    get,
    loaded: () => component,
    handle: { isLoaded: () => component !== null, load: async () => void (await get()) },
  }
}

async function repeatUntilTrue(attempt: () => Promise<boolean>, failures = 0): Promise<void> {
  if (await attempt()) return
  await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, retryDelay)))
  await repeatUntilTrue(attempt, failures + 1)
}
