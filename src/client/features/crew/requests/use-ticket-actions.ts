import { type MouseEvent, type RefObject, useCallback, useEffect, useRef } from 'react'
import { type ServiceRequest, undoWindowMs } from '#contract/requests.ts'
import { focusAfterAction, focusedTicketId, moveTicketFocus } from './ticket-focus.ts'
import type { Command } from './shortcuts.ts'
import { attachTicketSwipe } from './swipe-tickets.ts'
import type { ActOnRequest } from './use-requests.ts'
import { useShortcuts } from './use-shortcuts.ts'

const doubleTapMs = 350

type TicketActions = {
  act: ActOnRequest
  /** The second half of a double tap would land on the ticket that moved up. */
  ignoreSecondTap: (event: MouseEvent) => void
}

type LastCompleted = { request: ServiceRequest | null; at: number }
const noneCompleted: LastCompleted = { request: null, at: -Infinity }

/** What is done to the tickets of a list by tap, by swipe and by key; the focus stays in the list. */
export function useTicketActions(
  list: RefObject<HTMLElement | null>,
  open: readonly ServiceRequest[],
  send: ActOnRequest,
  onTab: (index: number) => void,
): TicketActions {
  const completed = useRef(noneCompleted)
  const shown = useRef(open)
  useEffect(() => {
    shown.current = open
  }, [open])

  const act = useCallback<ActOnRequest>(
    (action, request) => {
      const leaves = action === 'complete'
      const focus = focusAfterAction(list.current, request.id, leaves)
      if (leaves) completed.current = { request, at: performance.now() }
      send(action, request)
      // What `send` changed is rendered at the end of this task, right before.
      queueMicrotask(focus)
    },
    [list, send],
  )

  const actOn = useCallback(
    (action: 'accept' | 'complete', id: string | null) => {
      const request = shown.current.find((other) => other.id === id)
      if (request && (action === 'complete' || request.state === 'waiting')) act(action, request)
    },
    [act],
  )

  useEffect(
    () => (list.current ? attachTicketSwipe(list.current, (id) => actOn('complete', id)) : undefined),
    [list, actOn],
  )

  const undo = useCallback(() => {
    const { request, at } = completed.current
    if (request && performance.now() - at < undoWindowMs) send('reopen', request)
    completed.current = noneCompleted
  }, [send])

  const run = useCallback(
    (command: Command) => {
      if (command.type === 'move') moveTicketFocus(list.current, command.by)
      else if (command.type === 'tab') onTab(command.index)
      else if (command.type === 'undo') undo()
      else if (command.type === 'accept' || command.type === 'complete')
        actOn(command.type, focusedTicketId(list.current))
      else return false
      return true
    },
    [list, actOn, onTab, undo],
  )
  useShortcuts(run)

  const ignoreSecondTap = useCallback((event: MouseEvent) => {
    const { detail, target } = event
    const { request, at } = completed.current
    const own = `[data-request='${CSS.escape(request?.id ?? '')}']`
    const isOther = target instanceof Element && !target.closest(own)
    if (detail > 0 && isOther && performance.now() - at < doubleTapMs) event.stopPropagation()
  }, [])

  return { act, ignoreSecondTap }
}
