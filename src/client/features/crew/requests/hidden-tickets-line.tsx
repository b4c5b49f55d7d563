import { type JSX, type RefObject, useCallback, useEffect, useState } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { useRootAttribute } from '../../../ui/use-root-attribute.ts'
import type { ObserveTicket } from './use-seen-requests.ts'

type HiddenTicketsLineProps = {
  list: RefObject<HTMLElement | null>
  open: readonly ServiceRequest[]
  /** Requests whose tickets are rendered. */
  rendered: readonly ServiceRequest[]
  observe: ObserveTicket
}

/** Lists the tables whose tickets are out of view, so that no request goes unseen. */
export function HiddenTicketsLine({
  list,
  open,
  rendered,
  observe,
}: HiddenTicketsLineProps): JSX.Element | null {
  const outOfView = useOutOfView(list, rendered)
  const ids = new Set(rendered.map(({ id }) => id))
  const hidden = open.filter(({ id }) => !ids.has(id) || outOfView.has(id))
  if (hidden.length === 0) return null
  const hiddenIds = hidden.map(({ id }) => id).join(' ')
  return <Line key={hiddenIds} ids={hiddenIds} hidden={hidden} observe={observe} />
}

type LineProps = { ids: string; hidden: readonly ServiceRequest[]; observe: ObserveTicket }

function Line({ ids, hidden, observe }: LineProps): JSX.Element {
  useRootAttribute('data-lower-edge', true)
  return (
    <p
      ref={useCallback((line: HTMLParagraphElement) => observe(line), [observe])}
      data-requests={ids}
      aria-hidden
      className="sticky bottom-[calc(var(--bar,0px)+env(safe-area-inset-bottom))] z-10 truncate border-t border-rule bg-ground py-2 shadow-[0_1rem_0_var(--ground)] text-base text-text-mute"
    >
      <strong className="font-semibold text-text">{hidden.length} not in view</strong>
      {` · ${hidden.map(({ tableNumber }) => tableNumber).join(' · ')}`}
    </p>
  )
}

const noIds: ReadonlySet<string> = new Set()

/** The rendered tickets that are known not to be in view. */
function useOutOfView(
  list: RefObject<HTMLElement | null>,
  rendered: readonly ServiceRequest[],
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
  }, [list, rendered])
  return out
}
