import { useSyncExternalStore } from 'react'
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

const connectivityTexts: Record<Exclude<Connectivity, 'reachable'>, [problem: string, outlook: string]> = {
  'phone-offline': ['Your phone is not connected.', 'sent as soon as it is'],
  unreachable: ["We can't reach the restaurant right now.", 'sent as soon as we can'],
}

/** Null while taps get through. */
export function connectivityText(connectivity: Connectivity, waiting: number): string | null {
  if (connectivity === 'reachable') return null
  const [problem, outlook] = connectivityTexts[connectivity]
  const kept = ['What you tap is', 'Your tap is', 'Your taps are'][Math.min(waiting, 2)]
  return `${problem} ${kept} kept and ${outlook}. Please wave to your waiter meanwhile.`
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
