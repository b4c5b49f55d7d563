import { useEffect, useState } from 'react'
import type { ServerMessage } from '#contract/live.ts'
import type { KeptList, LiveChannel } from '../../../api/live/live-channel.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { registerWorker } from '../../../api/push.ts'
import { getStored, removeLastKnown } from '../../../lib/browser/browser-storage.ts'
import { replaceIdleWorker } from '../../../lib/browser/new-worker.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { type LastList, saveLastList, updateSnapshot } from './last-list.ts'

const saveAfterMs = 2_000

type Owner = Omit<LastList, 'message' | 'at'>

/** Keeps what the crew page needs to open without a network: its own files, and the last list. */
export function KeepLastList({ restaurantId, member, ownLogin, crew, tables }: Owner): null {
  const live = useLive()
  const [keeper] = useState(() => new ListKeeper(live))
  useEffect(() => keeper.start(), [keeper])
  useEffect(
    () => keeper.setOwner({ restaurantId, member, ownLogin, crew, tables }),
    [keeper, restaurantId, member, ownLogin, crew, tables],
  )
  return null
}

class ListKeeper {
  #live: LiveChannel
  #owner: Owner | null = null
  #message: KeptList['message'] | null = null
  #heardAt = 0
  #isCreated = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(live: LiveChannel) {
    this.#live = live
  }

  start(): () => void {
    const stopping = new AbortController()
    const options = { signal: stopping.signal }
    addEventListener('pagehide', this.#save, options)
    document.addEventListener('visibilitychange', this.#save, options)
    const stops = [
      this.#live.onMessage(this.#receive),
      this.#live.onConnectionChange(this.#connectionChanged),
      this.#live.subscribe('requests'),
    ]
    return () => {
      stopping.abort()
      clearTimeout(this.#timer)
      for (const stop of stops) stop()
    }
  }

  setOwner(owner: Owner): void {
    this.#owner = owner
    this.#save()
  }

  #receive = (message: ServerMessage): void => {
    // Whoever gets the list is signed in.
    if (!this.#message && message.type === 'pending-requests') void keepPage()
    const after = updateSnapshot(this.#message, message, serverNow())
    if (after === this.#message) return
    this.#message = after
    this.#timer ??= setTimeout(this.#save, saveAfterMs)
  }

  #connectionChanged = (): void => {
    if (this.#live.connection.state !== 'signed-out') return this.#save()
    this.#message = null
    removeLastKnown()
  }

  #save = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#message || !this.#owner) return
    // Signing out has removed it, here or in another tab.
    if (this.#isCreated && getStored('last-list') === null) return
    const { connection } = this.#live
    this.#heardAt =
      connection.state === 'reconnecting' ? (connection.lastMessageAt ?? this.#heardAt) : Date.now()
    this.#isCreated = true
    saveLastList({ ...this.#owner, message: this.#message, at: this.#heardAt })
  }
}

async function keepPage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  await registerWorker('crew').then(replaceIdleWorker, () => undefined)
}
