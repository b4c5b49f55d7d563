import { type MouseEvent, type RefObject, useCallback, useEffect, useRef } from 'react'
import { type ServiceRequest, undoWindowMs } from '#contract/requests.ts'
import { nextIndex } from '../../../lib/list-navigation.ts'
import type { Command } from './shortcuts.ts'
import { attachTicketSwipe } from './swipe-tickets.ts'
import type { ActOnRequest } from './use-requests.ts'
import { useShortcuts } from './use-shortcuts.ts'

const doubleTapMs = 350

type TicketActions = {
  act: ActOnRequest
  /** The second tap of a double tap would hit the ticket that moved up. */
  ignoreSecondTap: (event: MouseEvent) => void
}

type LastCompleted = { request: ServiceRequest | null; at: number }
const noneCompleted: LastCompleted = { request: null, at: -Infinity }

/** Acts on the tickets of a list by tap, swipe and key; the focus stays in the list. */
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
      // The change is rendered by then.
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

// A ticket gets the focus on 'Mark Complete', the one button that every ticket has.

/**
 * Acting on a ticket removes the button that has the focus. The focus stays in the ticket; when that leaves, it goes to
 * the next one or the list's title. Call the returned function once the buttons have changed: moving the focus lays
 * out the page.
 */
function focusAfterAction(list: HTMLElement | null, id: string, leaves: boolean): () => void {
  const ticket = findTicket(list, id)
  if (!ticket?.contains(document.activeElement)) return () => undefined
  const next = leaves ? (ticket.nextElementSibling ?? ticket.previousElementSibling) : ticket
  const target = next ? findCompleteButton(next) : document.querySelector<HTMLElement>('#requests')
  return () => target?.focus({ preventScroll: true })
}

/** To the next or previous ticket; when no ticket has the focus, to the first. */
function moveTicketFocus(list: HTMLElement | null, by: 1 | -1): void {
  const tickets = [...(list?.children ?? [])]
  const from = tickets.findIndex((ticket) => ticket === focusedTicket(list))
  const key = { key: by === 1 ? 'ArrowDown' : 'ArrowUp', ctrlKey: false }
  const target = tickets[(from === -1 ? 0 : nextIndex(key, from, { count: tickets.length, perRow: 1 })) ?? -1]
  if (!target) return
  findCompleteButton(target)?.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'nearest' })
}

/** The id of the ticket that has the focus, or of the first one, which is the most urgent. */
const focusedTicketId = (list: HTMLElement | null): string | null =>
  (focusedTicket(list) ?? list?.firstElementChild)?.getAttribute('data-request') ?? null

const focusedTicket = (list: HTMLElement | null): Element | null =>
  (list?.contains(document.activeElement) && document.activeElement?.closest('[data-request]')) || null

const findTicket = (list: HTMLElement | null, id: string): Element | null =>
  list?.querySelector(`[data-request='${CSS.escape(id)}']`) ?? null
const findCompleteButton = (ticket: Element): HTMLElement | null => ticket.querySelector('[data-complete]')
