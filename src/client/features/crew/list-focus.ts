/** The focus in the list of tickets stands on a ticket's 'Mark Complete', which every ticket has. */

/** The ticket leaves with the button that had the focus: the next one has it then, or the title of the list. */
export function focusNext(list: HTMLElement | null, id: string): void {
  const ticket = ticketOf(list, id)
  if (!ticket?.contains(document.activeElement)) return
  const next = shownBeside(ticket, 'nextElementSibling') ?? shownBeside(ticket, 'previousElementSibling')
  const target = next ? completeButtonOf(next) : document.querySelector<HTMLElement>('#requests')
  target?.focus({ preventScroll: true })
}

/** "On my way" and "Release" take each other's place: the focus stays in the ticket. */
export function keepFocus(list: HTMLElement | null, id: string): void {
  const ticket = ticketOf(list, id)
  if (ticket?.contains(document.activeElement)) completeButtonOf(ticket)?.focus({ preventScroll: true })
}

/** To the next ticket or the one before; where none has the focus, to the first. */
export function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const current = focusedTicket(list)
  const way = by === 1 ? 'nextElementSibling' : 'previousElementSibling'
  const target = current ? shownBeside(current, way) : firstShown(list)
  if (!target) return
  completeButtonOf(target)?.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'nearest' })
}

/** The id of the ticket that has the focus, else of the first: the one that waits longest. */
export const idInFocus = (list: HTMLElement | null): string | null =>
  (focusedTicket(list) ?? firstShown(list))?.getAttribute('data-request') ?? null

const focusedTicket = (list: HTMLElement | null): Element | null =>
  (list?.contains(document.activeElement) && document.activeElement?.closest('[data-request]')) || null

function firstShown(list: HTMLElement | null): Element | null {
  const first = list?.firstElementChild ?? null
  return first && !isShown(first) ? shownBeside(first, 'nextElementSibling') : first
}

function shownBeside(ticket: Element, way: 'nextElementSibling' | 'previousElementSibling'): Element | null {
  let other = ticket[way]
  while (other && !isShown(other)) other = other[way]
  return other
}

/** By what the style sheet goes by: asking it for the style itself would lay out the whole page within a tap. */
function isShown(ticket: Element): boolean {
  const tab = ticket.parentElement?.getAttribute('data-tab')
  return !ticket.hasAttribute('hidden') && (tab === 'all' || tab === ticket.getAttribute('data-type'))
}
const ticketOf = (list: HTMLElement | null, id: string): Element | null =>
  list?.querySelector(`[data-request='${CSS.escape(id)}']`) ?? null
const completeButtonOf = (ticket: Element): HTMLElement | null => ticket.querySelector('[data-complete]')
