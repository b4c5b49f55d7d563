/** The focus in the list of tickets stands on a ticket's 'Mark Complete', which every ticket has. */

/**
 * What acts on a ticket takes the button away that had the focus. It stays in the ticket; where that leaves, the
 * next one has it, or the title of the list. To be called when the buttons have changed: to move the focus lays out
 * the page, once more if it changes afterwards.
 */
export function focusAfterAction(list: HTMLElement | null, id: string, leaves: boolean): () => void {
  const ticket = findTicket(list, id)
  if (!ticket?.contains(document.activeElement)) return () => undefined
  const next = leaves ? (ticket.nextElementSibling ?? ticket.previousElementSibling) : ticket
  const target = next ? findCompleteButton(next) : document.querySelector<HTMLElement>('#requests')
  return () => target?.focus({ preventScroll: true })
}

/** To the next ticket or the one before; where none has the focus, to the first. */
export function moveTicketFocus(list: HTMLElement | null, by: 1 | -1): void {
  const current = focusedTicket(list)
  const way = by === 1 ? 'nextElementSibling' : 'previousElementSibling'
  const target = current ? current[way] : list?.firstElementChild
  if (!target) return
  findCompleteButton(target)?.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'nearest' })
}

/** The id of the ticket that has the focus, else of the first: the one that waits longest. */
export const focusedTicketId = (list: HTMLElement | null): string | null =>
  (focusedTicket(list) ?? list?.firstElementChild)?.getAttribute('data-request') ?? null

const focusedTicket = (list: HTMLElement | null): Element | null =>
  (list?.contains(document.activeElement) && document.activeElement?.closest('[data-request]')) || null

const findTicket = (list: HTMLElement | null, id: string): Element | null =>
  list?.querySelector(`[data-request='${CSS.escape(id)}']`) ?? null
const findCompleteButton = (ticket: Element): HTMLElement | null => ticket.querySelector('[data-complete]')
