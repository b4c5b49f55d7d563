import {
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { type ServiceRequest, undoWindowMs } from '#contract/requests/requests.ts'
import { nextIndex } from '../../../lib/list-navigation.ts'
import type { Command } from '../gestures/shortcuts.ts'
import { useShortcuts } from '../gestures/use-shortcuts.ts'
import type { ActOnRequest } from './use-requests.ts'

const doubleTapMs = 350
/** Within one place: two taps of one finger, or a ticket that has hardly moved. */
const placePx = 24
/** How long a finger takes that was on its way to what stood there before. */
const movedMs = 300

type TicketActions = {
  act: ActOnRequest
  /** A finger that lands on a ticket that has just moved there was meant for another one; the ticket blinks. */
  startTap: (event: PointerEvent) => void
  /** The second tap of a double tap would hit what has taken the place of the first. */
  ignoreSecondTap: (event: MouseEvent) => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}

type LastTap = { request: ServiceRequest | null; at: number }
const none: LastTap = { request: null, at: -Infinity }

/** Acts on the tickets of a list by tap, swipe and key; the focus stays in the list. */
export function useTicketActions(
  list: RefObject<HTMLElement | null>,
  open: readonly ServiceRequest[],
  send: ActOnRequest,
): TicketActions {
  const completed = useRef(none)
  const accepted = useRef({ at: -Infinity, x: 0, y: 0 })
  const shown = useRef(open)
  const settle = useRef<() => void>(null)
  const changes = useRef<readonly { at: number; before: Places }[]>([])
  const isMisled = useRef(false)
  // Read while rendering: in an effect the list has changed already.
  const before = useMemo(() => placesOf(list.current, open), [list, open])
  useLayoutEffect(() => {
    const at = performance.now()
    changes.current = [...changes.current.filter((change) => at - change.at < movedMs), { at, before }]
    shown.current = open
    settle.current?.()
    settle.current = null
  }, [open, before])

  const act = useCallback<ActOnRequest>(
    (action, request) => {
      const leaves = action === 'complete'
      settle.current?.()
      settle.current = markTapped(list.current, request.id, leaves)
      if (leaves) completed.current = { request, at: performance.now() }
      if (action === 'accept') accepted.current.at = performance.now()
      send(action, request)
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

  useEffect(() => {
    let detach: (() => void) | null = () => undefined
    const attach = async (): Promise<void> => {
      const { attachTicketSwipe } = await import('../gestures/swipe-tickets.ts')
      if (!detach || !list.current) return
      detach = attachTicketSwipe(list.current, {
        isIgnored: () => isMisled.current,
        onSwiped: (id) => actOn('complete', id),
      })
    }
    // Every ticket has a button for it, too.
    attach().catch(() => undefined)
    return () => {
      detach?.()
      detach = null
    }
  }, [list, actOn])

  const undo = useCallback(() => {
    const { request, at } = completed.current
    if (request && performance.now() - at < undoWindowMs) send('reopen', request)
    completed.current = none
  }, [send])

  const run = useCallback(
    (command: Command) => {
      if (command.type === 'move') moveTicketFocus(list.current, command.by)
      else if (command.type === 'undo') undo()
      else if (command.type === 'accept' || command.type === 'complete')
        actOn(command.type, focusedTicketId(list.current))
      else return false
      return true
    },
    [list, actOn, undo],
  )
  useShortcuts(run)

  const startTap = useCallback(({ target, pointerType }: PointerEvent) => {
    const ticket = target instanceof Element ? target.closest('[data-request]') : null
    const now = performance.now()
    const isRecent = ({ at }: { at: number }): boolean => now - at < movedMs
    isMisled.current =
      pointerType === 'touch' &&
      ticket !== null &&
      changes.current.some((change) => isRecent(change) && hasMoved(ticket, change.before))
    if (isMisled.current) ticket?.animate({ opacity: [0.5, 1] }, movedMs)
  }, [])

  const ignoreSecondTap = useCallback((event: MouseEvent) => {
    const { detail, target, clientX, clientY } = event
    const now = performance.now()
    const { request, at } = completed.current
    const own = `[data-request='${CSS.escape(request?.id ?? '')}']`
    const isOther = target instanceof Element && !target.closest(own)
    const isTapped = target instanceof Element && target.closest('[data-tapped]') !== null
    const { at: acceptedAt, x, y } = accepted.current
    const isSamePlace = Math.hypot(clientX - x, clientY - y) < placePx
    const isSecond = (isOther && now - at < doubleTapMs) || (isSamePlace && now - acceptedAt < doubleTapMs)
    if (detail > 0 && (isSecond || isTapped || isMisled.current)) return event.stopPropagation()
    accepted.current = { at: acceptedAt, x: clientX, y: clientY }
  }, [])

  return { act, startTap, ignoreSecondTap, ...useKeptFocus(list, open) }
}

/**
 * When a colleague accepts the ticket that has the focus, it goes to the line that takes the ticket's place: from "Mark
 * Complete" to the same, and from elsewhere to "More", where an Enter meant for "On my way" completes nothing.
 */
function useKeptFocus(
  list: RefObject<HTMLElement | null>,
  open: readonly ServiceRequest[],
): Pick<TicketActions, 'onFocus' | 'onBlur'> {
  const focused = useRef<{ ticket: Element; isOnComplete: boolean } | null>(null)
  useLayoutEffect(() => {
    // React sends no blur for what it removes.
    if (!focused.current || focused.current.ticket.isConnected) return
    const { ticket, isOnComplete } = focused.current
    focused.current = null
    const successor = findTicket(list.current, ticket.getAttribute('data-request') ?? '')
    const target = isOnComplete ? '[data-complete]' : '.ticket-more'
    successor?.querySelector<HTMLElement>(target)?.focus({ preventScroll: true })
  }, [list, open])
  return {
    onFocus: useCallback(({ target }) => {
      const ticket = target.closest('[data-request]')
      focused.current = ticket && { ticket, isOnComplete: target.matches('[data-complete]') }
    }, []),
    onBlur: useCallback(() => {
      focused.current = null
    }, []),
  }
}

// A ticket gets the focus on 'Mark Complete', the one button that every ticket has.

/**
 * Shows on a ticket that it was tapped. Call the returned function once the list has changed: acting removes the button
 * that has the focus, which stays in the ticket, or goes to the next one or the list's title when that leaves. Where
 * somebody has moved it meanwhile, it stays: the next Enter is meant for that.
 */
function markTapped(list: HTMLElement | null, id: string, leaves: boolean): () => void {
  const ticket = findTicket(list, id)
  ticket?.toggleAttribute('data-tapped', true)
  const hasFocus = ticket?.contains(document.activeElement)
  const next = leaves ? (ticket?.nextElementSibling ?? ticket?.previousElementSibling) : ticket
  return () => {
    ticket?.removeAttribute('data-tapped')
    const focused = document.activeElement
    if (!hasFocus || (focused !== document.body && !ticket?.contains(focused))) return
    const target = next ? findCompleteButton(next) : document.querySelector<HTMLElement>('#requests')
    target?.focus({ preventScroll: true })
  }
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

/** Where each ticket is on the screen. */
type Places = ReadonlyMap<string | null, DOMRect>

function placesOf(list: HTMLElement | null, open: readonly ServiceRequest[]): Places {
  const staying = new Set<string | null>(open.map(({ id }) => id))
  return new Map(
    [...(list?.children ?? [])].flatMap((ticket) => {
      const id = ticket.getAttribute('data-request')
      return staying.has(id) ? [[id, ticket.getBoundingClientRect()]] : []
    }),
  )
}

function hasMoved(ticket: Element, before: Places): boolean {
  const { x, y } = ticket.getBoundingClientRect()
  const old = before.get(ticket.getAttribute('data-request'))
  return !old || Math.hypot(x - old.x, y - old.y) >= placePx
}

const findTicket = (list: HTMLElement | null, id: string): Element | null =>
  list?.querySelector(`[data-request='${CSS.escape(id)}']`) ?? null
const findCompleteButton = (ticket: Element): HTMLElement | null => ticket.querySelector('[data-complete]')
