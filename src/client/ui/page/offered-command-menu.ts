import { useSyncExternalStore } from 'react'
import { Listeners } from '../../lib/listeners.ts'

type Open = () => void

let offered: Open | null = null
const changes = new Listeners()

/** For a menu of the screen itself, where no button has room. Returns a function that ends it. */
export function offerCommandMenu(open: Open): () => void {
  offered = open
  changes.tell()
  return () => {
    offered = null
    changes.tell()
  }
}

/** Opens the command menu; null for whom there is none. */
export const useOfferedCommandMenu = (): Open | null => useSyncExternalStore(changes.add, () => offered)
