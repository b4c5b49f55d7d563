import { useState } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'
import { focusTitle } from '../entry/step-title.tsx'
import { cancelRequest, sendReminder } from '../guest-calls.ts'
import { menuErrorText, refusalOf } from '../language.ts'
import type { NoticeText } from '../notice.tsx'
import { forgetOwnRequest, isOwnRequest } from '../taps/guest-storage.ts'
import type { RequestAction } from './request-list.tsx'
import { canRemind } from './table-requests.ts'
import type { TableState } from './use-table-requests.ts'

export type RequestActions = {
  act: (action: RequestAction, request: ServiceRequest) => Promise<void>
  /** Whether this device sent the request. Browser only: on the server, `page.mine` has the answer. */
  isMine: (id: string) => boolean
  /** Whether the guest may send a reminder. */
  canRemind: (request: ServiceRequest, now: number) => boolean
}

/** Cancels requests of this device, and reminds the crew of them. `sentEarlier`: known to the server as its own. */
export function useRequestActions(
  sentEarlier: readonly string[],
  { table, dispatch, applyAnswer, refresh }: TableState,
  setNotice: (notice: NoticeText | null) => void,
): RequestActions {
  /** Taken back, or not this device's after all. */
  const [notOurs, setNotOurs] = useState<ReadonlySet<string>>(new Set())
  const [remindedAt, setRemindedAt] = useState<ReadonlyMap<string, number>>(new Map())

  function disown(id: string): void {
    forgetOwnRequest(id)
    setNotOurs((before) => new Set(before).add(id))
  }

  async function cancel(id: string): Promise<void> {
    const since = Date.now()
    const { request } = await cancelRequest(id)
    disown(id)
    if (!request) return dispatch({ type: 'cancelled-here', id })
    applyAnswer(request, since)
    setNotice({ text: t('Taken back for you. Somebody else at your table still asks for it.'), done: true })
  }

  async function remind(id: string): Promise<void> {
    const since = Date.now()
    const { request, told } = await sendReminder(id)
    applyAnswer(request, since)
    setRemindedAt((before) => new Map(before).set(id, Date.now()))
    setNotice({ text: reminderText(request, told, table.listening), done: table.listening })
  }

  return {
    async act(action, { id }) {
      setNotice(null)
      try {
        await (action === 'cancel' ? cancel(id) : remind(id))
        focusTitle()
      } catch (error) {
        if (refusalOf(error)?.code === 'forbidden') disown(id)
        setNotice({ text: menuErrorText(error), persistent: true })
        refresh()
      }
    },
    isMine: (id) => isOwnRequest(id) || (sentEarlier.includes(id) && !notOurs.has(id)),
    canRemind: (request, now) =>
      canRemind(request, now) &&
      canRemind({ ...request, timestamp: remindedAt.get(request.id) ?? 0, stillWaitingAt: null }, Date.now()),
  }
}

/**
 * The crew is alerted at most once a minute, and only if a screen is listening: the text must not promise more. What to
 * do while none is stands on the menu already.
 */
function reminderText({ stillWaiting = 1 }: ServiceRequest, told: boolean, listening: boolean): string {
  if (!told) return t('The crew was told less than a minute ago.')
  if (!listening) return t('It is noted, but no staff screen is on.')
  return stillWaiting > 1
    ? t("We told the crew again that you're still waiting.")
    : t("We told the crew that you're still waiting.")
}
