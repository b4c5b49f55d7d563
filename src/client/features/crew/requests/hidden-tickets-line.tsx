import { type JSX, type RefObject, useCallback, useEffect, useState } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { useRootAttribute } from '../../../ui/use-root-attribute.ts'
import type { ObserveTicket } from './use-seen-requests.ts'

type HiddenTicketsLineProps = {
  list: RefObject<HTMLElement | null>
  open: readonly ServiceRequest[]
  /** Those of them whose tickets are drawn. */
  drawn: readonly ServiceRequest[]
  observe: ObserveTicket
}

/** Names the tables whose tickets are not in view, so that no request goes unseen behind the edge of the screen. */
export function HiddenTicketsLine({
  list,
  open,
  drawn,
  observe,
}: HiddenTicketsLineProps): JSX.Element | null {
  const outOfView = useOutOfView(list, drawn)
  const ids = new Set(drawn.map(({ id }) => id))
  const folded = open.filter(({ id }) => !ids.has(id) || outOfView.has(id))
  if (folded.length === 0) return null
  const shown = folded.map(({ id }) => id).join(' ')
  return <Line key={shown} ids={shown} folded={folded} observe={observe} />
}

type LineProps = { ids: string; folded: readonly ServiceRequest[]; observe: ObserveTicket }

function Line({ ids, folded, observe }: LineProps): JSX.Element {
  useRootAttribute('data-lower-edge', true)
  return (
    <p
      ref={useCallback((line: HTMLParagraphElement) => observe(line, () => undefined), [observe])}
      data-requests={ids}
      aria-hidden
      className="sticky bottom-[calc(var(--bar,0px)+env(safe-area-inset-bottom))] z-10 truncate border-t border-rule bg-ground py-2 shadow-[0_1rem_0_var(--ground)] text-base text-text-mute"
    >
      <strong className="font-semibold text-text">{folded.length} not in view</strong>
      {` · ${folded.map(({ tableNumber }) => tableNumber).join(' · ')}`}
    </p>
  )
}

const noIds: ReadonlySet<string> = new Set()

/** Of the drawn tickets, those that the browser has said are not in view. */
function useOutOfView(
  list: RefObject<HTMLElement | null>,
  drawn: readonly ServiceRequest[],
): ReadonlySet<string> {
  const [out, setOut] = useState(noIds)
  useEffect(() => {
    if (typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver((entries) => {
      setOut((before) => {
        const after = new Set(before)
        for (const { target, isIntersecting } of entries) {
          const id = target.getAttribute('data-request') ?? ''
          if (isIntersecting) after.delete(id)
          else after.add(id)
        }
        const isSame = after.size === before.size && [...after].every((id) => before.has(id))
        return isSame ? before : after
      })
    })
    for (const ticket of list.current?.children ?? []) observer.observe(ticket)
    return () => observer.disconnect()
  }, [list, drawn])
  return out
}
