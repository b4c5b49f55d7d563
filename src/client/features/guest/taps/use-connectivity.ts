import { useSyncExternalStore } from 'react'
import { plural, t } from '../../../lib/texts/translate.ts'
import type { Outbox } from './outbox.ts'

/** Whether the guest's taps get through, and otherwise why not, as far as this phone can tell. */
export type Connectivity = 'reachable' | 'phone-offline' | 'unreachable'

/** `answered`: whether the server answered the last call about this table. */
export function useConnectivity(outbox: Outbox | undefined, answered: boolean): Connectivity {
  const online = useSyncExternalStore(watchNetwork, isOnline, alwaysTrue)
  const posted = useSyncExternalStore(
    outbox?.subscribeReachability ?? noopSubscribe,
    outbox?.isReachable ?? alwaysTrue,
    alwaysTrue,
  )
  if (!online) return 'phone-offline'
  return posted && answered ? 'reachable' : 'unreachable'
}

type Texts = { problem: string; none: string; one: string; several: string }

const connectivityTexts: Record<Exclude<Connectivity, 'reachable'>, Texts> = {
  'phone-offline': {
    problem: 'Your phone is not connected.',
    none: 'What you tap is kept and sent as soon as it is.',
    one: 'Your tap is kept and sent as soon as it is.',
    several: 'Your taps are kept and sent as soon as it is.',
  },
  unreachable: {
    problem: "We can't reach the restaurant right now.",
    none: 'What you tap is kept and sent as soon as we can.',
    one: 'Your tap is kept and sent as soon as we can.',
    several: 'Your taps are kept and sent as soon as we can.',
  },
}

/** What is wrong, and what the guest can do. */
export type Warning = { problem: string; advice: string }

/** Null while taps get through. */
export function connectivityWarning(connectivity: Connectivity, waiting: number): Warning | null {
  if (connectivity === 'reachable') return null
  const { problem, none, one, several } = connectivityTexts[connectivity]
  const kept = waiting === 0 ? t(none) : plural(waiting, one, several)
  return { problem: `${t(problem)} ${kept}`, advice: t('Please wave to your waiter meanwhile.') }
}

function watchNetwork(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}

const isOnline = (): boolean => navigator.onLine
const alwaysTrue = (): boolean => true

/** For `useSyncExternalStore` where there is nothing to subscribe to. */
export const noopSubscribe = () => () => {}
