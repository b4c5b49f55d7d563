import { useCallback, useEffect, useMemo, useState } from 'react'
import * as v from 'valibot'
import type { CrewMember } from '#contract/crew/crew.ts'
import { toQuickMessageKey, type QuickMessageKey, TeamMessage } from '#contract/crew/messages.ts'
import { compareByAge } from '#contract/requests/requests.ts'
import { LiveError } from '../../api/live/live-channel.ts'
import { useLiveReducer } from '../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../api/live/use-optimistic-request.ts'
import { getStored, listUnsentKeys, removeStored, setStored } from '../../lib/browser/browser-storage.ts'
import { newId } from '../../lib/new-id.ts'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import type { ReadMarks } from './contacts.ts'
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
  /** Written here and not stored on the server yet. */
  pendingIds: ReadonlySet<string>
  send: (to: CrewMember, text: string, key?: QuickMessageKey) => void
  remove: (id: string) => void
}

/** The crew member's messages, live. A message is resent until the server has answered, and stored once. */
export function useMessages(me: CrewMember): Messages {
  const [state, dispatch] = useLiveReducer<MessagesState, LocalAction>(
    messagesReducer,
    initialMessagesState,
    'messages',
  )
  const request = useOptimisticRequest(useErrorToast())

  const transmit = useCallback(
    (message: TeamMessage) => {
      const { id, senderCrewId, senderCrewName, targetCrewId, targetCrewName, messageText, language } =
        message
      const messageKey = toQuickMessageKey(message.messageKey)
      const sender = { senderCrewId, senderCrewName }
      const target = { targetCrewId, targetCrewName, messageKey, messageText, ...(language && { language }) }
      request({
        message: { type: 'send-team-message', id, ...sender, ...target },
        apply: () => dispatch({ type: 'sending', message }),
        confirm({ message: stored }) {
          removeUnsent(id)
          dispatch({ type: 'team-message', message: stored })
        },
        rollBack(error) {
          // After the next sign-in it is sent again.
          if (!(error instanceof LiveError && error.code === 'unauthenticated')) removeUnsent(id)
          dispatch({ type: 'not-sent', id })
        },
      })
    },
    [dispatch, request],
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
        ...(!key && writingLanguage()),
        timestamp: now,
      }
      saveUnsent(message)
      transmit(message)
    },
    [me, transmit],
  )

  const remove = useCallback<Messages['remove']>(
    (id) =>
      request({
        message: { type: 'delete-team-message', messageId: id },
        apply: () => dispatch({ type: 'deleting', id }),
        rollBack: () => dispatch({ type: 'not-deleted', id }),
      }),
    [dispatch, request],
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

/** How far each conversation has been read; survives a reload. */
export function useReadMarks(me: string): {
  marks: ReadMarks
  mark: (contact: string, until: number) => void
} {
  const [marks, setMarks] = useState<ReadMarks>(() => new Map())
  useEffect(() => {
    const load = (): void => setMarks(loadReadMarks(me))
    // Another tab may have marked messages as read.
    const loadIfChanged = ({ key }: StorageEvent): void => {
      if (key === `read_${me}`) load()
    }
    load()
    window.addEventListener('storage', loadIfChanged)
    return () => window.removeEventListener('storage', loadIfChanged)
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
    const stored: unknown = JSON.parse(getStored(`read_${me}`) ?? '[]')
    return new Map(Array.isArray(stored) ? stored.filter(isReadMark) : [])
  } catch {
    return new Map()
  }
}

const isReadMark = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number'

/** People write in the language that they read. */
function writingLanguage(): { language?: string } {
  const language = document.documentElement.lang
  return language === '' ? {} : { language }
}

/** A message older than this would look new to its reader. */
const maxAgeMs = 60 * 60 * 1000

/** Unanswered messages survive a reload. A message sent twice under the same id is stored once. */
const saveUnsent = (message: TeamMessage): void => setStored(`unsent_${message.id}`, JSON.stringify(message))

const removeUnsent = (id: string): void => removeStored(`unsent_${id}`)

/** The unsent messages of `me`, in the order of writing. */
function loadUnsent(me: string, now: number): TeamMessage[] {
  const messages: TeamMessage[] = []
  for (const key of listUnsentKeys()) {
    const message = parseMessage(getStored(key))
    if (!message || now - message.timestamp > maxAgeMs) removeStored(key)
    else if (message.senderCrewId === me) messages.push(message)
  }
  return messages.toSorted(compareByAge)
}

function parseMessage(text: string | null): TeamMessage | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return v.is(TeamMessage, value) ? value : null
  } catch {
    return null
  }
}
