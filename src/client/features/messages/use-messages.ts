import { useCallback, useEffect, useMemo, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import { toQuickMessageKey, type QuickMessageKey, type TeamMessage } from '#contract/messages.ts'
import { LiveError } from '../../api/live-channel.ts'
import { useLive, useLiveReducer } from '../../api/use-live.ts'
import { getStored, setStored } from '../../lib/browser-storage.ts'
import { newId } from '../../lib/new-id.ts'
import type { ReadMarks } from './contacts.ts'
import { removeUnsent, saveUnsent, loadUnsent } from './unsent-messages.ts'
import { useLiveErrorToast } from './use-fail.ts'
import {
  messagesReducer,
  type LocalAction,
  type MessagesState,
  initialMessagesState,
  visibleMessages,
} from './messages-reducer.ts'

export type Messages = {
  loaded: boolean
  /** Oldest first, from and to this crew member. */
  all: readonly TeamMessage[]
  /** Written here and not stored yet. */
  pendingIds: ReadonlySet<string>
  send: (to: CrewMember, text: string, key?: QuickMessageKey) => void
  remove: (id: string) => void
}

/** The crew member's messages, live. What is written is sent until the server answered, once however often. */
export function useMessages(me: CrewMember): Messages {
  const live = useLive()
  const [state, dispatch] = useLiveReducer<MessagesState, LocalAction>(
    messagesReducer,
    initialMessagesState,
    'messages',
  )
  const fail = useLiveErrorToast()

  const transmit = useCallback(
    (message: TeamMessage) => {
      const { id, senderCrewId, senderCrewName, targetCrewId, targetCrewName, messageText } = message
      const messageKey = toQuickMessageKey(message.messageKey)
      const sender = { senderCrewId, senderCrewName }
      const target = { targetCrewId, targetCrewName, messageKey, messageText }
      dispatch({ type: 'sending', message })
      live.request({ type: 'send-team-message', id, ...sender, ...target }).then(
        ({ message: stored }) => {
          removeUnsent(id)
          dispatch(stored ? { type: 'team-message', message: stored } : { type: 'sent', id })
        },
        (problem: unknown) => {
          // Who signs in again goes on where the session ended.
          if (!(problem instanceof LiveError && problem.code === 'unauthenticated')) removeUnsent(id)
          dispatch({ type: 'not-sent', id })
          fail(problem)
        },
      )
    },
    [dispatch, live, fail],
  )

  useEffect(() => {
    for (const message of loadUnsent(me.id, Date.now())) transmit(message)
  }, [me.id, transmit])

  const send = useCallback<Messages['send']>(
    (to, text, key) => {
      const messageText = text.trim()
      if (messageText === '') return
      const now = Date.now()
      const message = {
        id: newId(now),
        restaurantId: getStored('restaurantId') ?? '',
        senderCrewId: me.id,
        senderCrewName: me.name,
        targetCrewId: to.id,
        targetCrewName: to.name,
        messageKey: key ?? null,
        messageText,
        timestamp: now,
      }
      saveUnsent(message)
      transmit(message)
    },
    [me, transmit],
  )

  const remove = useCallback<Messages['remove']>(
    (id) => {
      dispatch({ type: 'deleting', id })
      live.request({ type: 'delete-team-message', messageId: id }).catch((problem: unknown) => {
        dispatch({ type: 'not-deleted', id })
        fail(problem)
      })
    },
    [dispatch, live, fail],
  )

  return useMemo<Messages>(
    () => ({
      loaded: state.loaded,
      all: visibleMessages(state),
      pendingIds: new Set(state.sending.map(({ id }) => id)),
      send,
      remove,
    }),
    [state, send, remove],
  )
}

/** What this device's user has read of each conversation; kept over a reload. */
export function useReadMarks(me: string): {
  marks: ReadMarks
  mark: (contact: string, until: number) => void
} {
  const [marks, setMarks] = useState<ReadMarks>(() => new Map())
  useEffect(() => {
    const look = (): void => setMarks(loadReadMarks(me))
    const hear = ({ key }: StorageEvent): void => {
      if (key === `read_${me}`) look()
    }
    look()
    // What was read in another tab is read here too.
    window.addEventListener('storage', hear)
    return () => window.removeEventListener('storage', hear)
  }, [me])
  const mark = useCallback(
    (contact: string, until: number) =>
      setMarks((before) => {
        if ((before.get(contact) ?? 0) >= until) return before
        const after = new Map(before).set(contact, until)
        setStored(`read_${me}`, JSON.stringify([...after]))
        return after
      }),
    [me],
  )
  return { marks, mark }
}

function loadReadMarks(me: string): ReadMarks {
  try {
    const kept: unknown = JSON.parse(getStored(`read_${me}`) ?? '[]')
    return new Map(Array.isArray(kept) ? kept.filter(isReadMark) : [])
  } catch {
    return new Map()
  }
}

const isReadMark = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number'
