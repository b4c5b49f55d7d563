import { useCallback, useEffect, useMemo, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { toQuickMessageKey, type QuickMessageKey, type TeamMessage } from '#contract/crew/messages.ts'
import { LiveError, tooLateText } from '../../api/live/live-channel.ts'
import { useLive, useLiveReducer } from '../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../api/live/use-optimistic-request.ts'
import { getStored, setStored } from '../../lib/browser/browser-storage.ts'
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
import { removeUnsent, saveUnsent, sendableMs, takeUnsent } from './unsent-messages.ts'

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
  const live = useLive()
  const showError = useErrorToast()
  const request = useOptimisticRequest(showError)

  const transmit = useCallback(
    (message: TeamMessage) => {
      const { id, senderCrewId, senderCrewName, targetCrewId, targetCrewName, messageText, language } =
        message
      const messageKey = toQuickMessageKey(message.messageKey)
      const sender = { senderCrewId, senderCrewName }
      const target = { targetCrewId, targetCrewName, messageKey, messageText, ...(language && { language }) }
      request({
        message: { type: 'send-team-message', id, ...sender, ...target },
        due: { sendBefore: message.timestamp + sendableMs },
        errorTitle: excerpt(messageText),
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
    const { sendable, late } = takeUnsent(me.id, Date.now())
    for (const message of sendable) transmit(message)
    const lost = late.map(({ messageText }) => excerpt(messageText))
    if (lost.length > 0) showError(tooLateText, lost.join(' · '))
  }, [me.id, transmit, showError])

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
    (id) => {
      if (live.cancelUnsent('send-team-message', id)) {
        removeUnsent(id)
        return dispatch({ type: 'not-sent', id })
      }
      request({
        message: { type: 'delete-team-message', messageId: id },
        apply: () => dispatch({ type: 'deleting', id }),
        rollBack: () => dispatch({ type: 'not-deleted', id }),
      })
    },
    [live, dispatch, request],
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

/** Enough of what was written to know it again. */
const excerpt = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

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
