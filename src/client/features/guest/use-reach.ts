import { useSyncExternalStore } from 'react'
import type { Outbox } from './outbox.ts'

/** Whether the guest's taps get through, and if not, whose fault that is as far as this phone can tell. */
export type Reach = 'reached' | 'phone-offline' | 'unreachable'

/** `answered`: whether the server answered when it was last asked about this table. */
export function useReach(outbox: Outbox | undefined, answered: boolean): Reach {
  const online = useSyncExternalStore(watchNetwork, isOnline, yes)
  const posted = useSyncExternalStore(outbox?.watchReach ?? never, outbox?.isReached ?? yes, yes)
  if (!online) return 'phone-offline'
  return posted && answered ? 'reached' : 'unreachable'
}

const problems: Record<Exclude<Reach, 'reached'>, [problem: string, outlook: string]> = {
  'phone-offline': ['Your phone is not connected.', 'sent as soon as it is'],
  unreachable: ["We can't reach the restaurant right now.", 'sent as soon as we can'],
}

/** What the guest is told; null while all is well. */
export function reachText(reach: Reach, waiting: number): string | null {
  if (reach === 'reached') return null
  const [problem, outlook] = problems[reach]
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
const yes = (): boolean => true
const never = () => () => {}
