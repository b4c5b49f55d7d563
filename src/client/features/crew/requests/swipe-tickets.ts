import { clampDrag, isDragged, isSwipe } from '../../../lib/swipe-distance.ts'

/** The system's own gesture to go back begins here. */
const screenEdge = 20
/** The click that may follow the end of a drag belongs to it. */
const clickAfterDragMs = 100
const leavingMs = 150
const slideBackMs = 100
const resetAfterMs = 1000

type Drag = { ticket: HTMLElement; pointerId: number; from: number; offset: number }

/**
 * A ticket that is dragged to the right by more than 60 px is complete; less slides back. One listener for all
 * tickets, and nothing is rendered while the finger moves.
 */
export function attachTicketSwipe(list: HTMLElement, onSwiped: (id: string) => void): () => void {
  let drag: Drag | null = null
  let endedAt = -Infinity

  function start({ target, clientX, pointerId, isPrimary, button }: PointerEvent): void {
    const ticket = target instanceof Element ? target.closest<HTMLElement>('[data-request]') : null
    if (!ticket || !isPrimary || button !== 0 || clientX < screenEdge) return
    drag = { ticket, pointerId, from: clientX, offset: 0 }
  }

  function move({ pointerId, clientX, buttons }: PointerEvent): void {
    if (drag?.pointerId !== pointerId) return
    const { ticket, from } = drag
    // It was let go where nobody told us, or somebody else completed it meanwhile.
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
    if (isSwipe(offset)) slideOut(ticket, offset, () => onSwiped(ticket.dataset['request'] ?? ''), rest)
    else slideBack(ticket, offset, rest)
  }

  function cancel(): void {
    if (drag) slideBack(drag.ticket, drag.offset, rest)
    drag = null
  }

  function rest(): void {
    list.toggleAttribute('data-swiping', drag !== null)
  }

  function ignoreClick(event: MouseEvent): void {
    if (performance.now() - endedAt < clickAfterDragMs) event.stopPropagation()
  }

  const leaving = new AbortController()
  const { signal } = leaving
  list.addEventListener('pointerdown', start, { signal })
  list.addEventListener('pointermove', move, { signal })
  list.addEventListener('pointerup', end, { signal })
  list.addEventListener('pointercancel', cancel, { signal })
  list.addEventListener('click', ignoreClick, { signal, capture: true })
  return () => leaving.abort()
}

function showOffset(ticket: HTMLElement, offset: number): void {
  ticket.toggleAttribute('data-dragged', offset > 0)
  ticket.toggleAttribute('data-swiped', isSwipe(offset))
  ticket.style.setProperty('--dragged', `${offset}px`)
}

const prefersReducedMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

function slideBack(ticket: HTMLElement, from: number, rest: () => void): void {
  showOffset(ticket, 0)
  if (from === 0 || prefersReducedMotion()) return rest()
  const slide = [{ translate: `${from}px 0` }, { translate: '0 0' }]
  ticket.animate(slide, { duration: slideBackMs }).addEventListener('finish', rest)
}

/** It slides on along the rail; under reduced motion it is gone at once. Where that is refused, it is back soon. */
function slideOut(ticket: HTMLElement, from: number, gone: () => void, rest: () => void): void {
  if (prefersReducedMotion()) {
    showOffset(ticket, 0)
    rest()
    return gone()
  }
  const slide = [{ translate: `${from}px 0` }, { translate: '100% 0', opacity: 0 }]
  const leaving = ticket.animate(slide, { duration: leavingMs, easing: 'ease-in', fill: 'forwards' })
  leaving.addEventListener('finish', gone)
  setTimeout(() => {
    leaving.cancel()
    showOffset(ticket, 0)
    rest()
  }, resetAfterMs)
}
