import './swipe-tickets.css'
import { clampDrag, isDragged, isSwipe } from '../../../lib/swipe-distance.ts'

/** The system's back gesture starts here. */
const screenEdge = 20
/** A click this soon after a drag belongs to the drag. */
const clickAfterDragMs = 100
const leavingMs = 150
const slideBackMs = 100
const resetAfterMs = 1000

type Drag = { ticket: HTMLElement; pointerId: number; from: number; offset: number }

/**
 * A ticket dragged right by more than 60 px is completed; less slides back. One set of listeners serves all tickets,
 * and React renders nothing while the finger moves.
 */
export function attachTicketSwipe(
  list: HTMLElement,
  { isIgnored, onSwiped }: { isIgnored: () => boolean; onSwiped: (id: string) => void },
): () => void {
  let drag: Drag | null = null
  let endedAt = -Infinity

  function start({ target, clientX, pointerId, isPrimary, button }: PointerEvent): void {
    const ticket = target instanceof Element ? target.closest<HTMLElement>('[data-request]') : null
    if (!ticket || !isPrimary || button !== 0 || clientX < screenEdge || isIgnored()) return
    drag = { ticket, pointerId, from: clientX, offset: 0 }
  }

  function move({ pointerId, clientX, buttons }: PointerEvent): void {
    if (drag?.pointerId !== pointerId) return
    const { ticket, from } = drag
    // The pointer was released outside, or somebody else completed the request meanwhile.
    if (buttons === 0 || !ticket.isConnected) return cancel()
    const offset = clampDrag(from, clientX, 'right')
    if (drag.offset === 0 && !isDragged(offset)) return
    if (drag.offset === 0) {
      ticket.setPointerCapture(pointerId)
      list.toggleAttribute('data-swiping', true)
    }
    drag.offset = offset
    showOffset(ticket, offset)
  }

  function end(): void {
    const ended = drag
    drag = null
    if (!ended || ended.offset === 0) return
    endedAt = performance.now()
    const { ticket, offset } = ended
    if (isSwipe(offset)) slideOut(ticket, offset, () => onSwiped(ticket.dataset['request'] ?? ''), reset)
    else slideBack(ticket, offset, reset)
  }

  function cancel(): void {
    if (drag) slideBack(drag.ticket, drag.offset, reset)
    drag = null
  }

  function reset(): void {
    list.toggleAttribute('data-swiping', drag !== null)
  }

  function ignoreClick(event: MouseEvent): void {
    if (performance.now() - endedAt < clickAfterDragMs) event.stopPropagation()
  }

  const listeners = new AbortController()
  const { signal } = listeners
  list.addEventListener('pointerdown', start, { signal })
  list.addEventListener('pointermove', move, { signal })
  list.addEventListener('pointerup', end, { signal })
  list.addEventListener('pointercancel', cancel, { signal })
  list.addEventListener('click', ignoreClick, { signal, capture: true })
  return () => listeners.abort()
}

function showOffset(ticket: HTMLElement, offset: number): void {
  ticket.toggleAttribute('data-dragged', offset > 0)
  ticket.toggleAttribute('data-swiped', isSwipe(offset))
  ticket.style.setProperty('--dragged', `${offset}px`)
}

const prefersReducedMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

function slideBack(ticket: HTMLElement, from: number, reset: () => void): void {
  showOffset(ticket, 0)
  if (from === 0 || prefersReducedMotion()) return reset()
  const slide = [{ translate: `${from}px 0` }, { translate: '0 0' }]
  ticket.animate(slide, { duration: slideBackMs }).addEventListener('finish', reset)
}

/** Slides the ticket out to the right, or removes it at once under reduced motion. If refused, it comes back. */
function slideOut(ticket: HTMLElement, from: number, onGone: () => void, reset: () => void): void {
  if (prefersReducedMotion()) {
    showOffset(ticket, 0)
    reset()
    return onGone()
  }
  const slide = [{ translate: `${from}px 0` }, { translate: '100% 0', opacity: 0 }]
  const animation = ticket.animate(slide, { duration: leavingMs, easing: 'ease-in', fill: 'forwards' })
  animation.addEventListener('finish', onGone)
  setTimeout(() => {
    animation.cancel()
    showOffset(ticket, 0)
    reset()
  }, resetAfterMs)
}
