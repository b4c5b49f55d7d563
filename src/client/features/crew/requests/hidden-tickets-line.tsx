import { type JSX, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import type { ObserveTicket } from './use-seen-requests.ts'
import { t } from '../../../lib/translate.ts'

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
  const hidden = useMemo(() => {
    const ids = new Set(rendered.map(({ id }) => id))
    return open.filter(({ id }) => !ids.has(id) || outOfView.has(id))
  }, [open, rendered, outOfView])
  return hidden.length === 0 ? null : <Line hidden={hidden} observe={observe} />
}

/** More than fit the line on any screen. */
const maxNames = 40

type LineProps = { hidden: readonly ServiceRequest[]; observe: ObserveTicket }

function Line({ hidden, observe }: LineProps): JSX.Element {
  const line = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const ids = hidden.map(({ id }) => id)
    return line.current ? observe(line.current, ids) : undefined
  }, [hidden, observe])
  return (
    <p ref={line} aria-hidden className="not-in-view">
      <strong className="font-semibold text-text">
        {t('{count} not in view', { count: hidden.length })}
      </strong>
      {` · ${hidden
        .slice(0, maxNames)
        .map(({ tableNumber }) => tableNumber)
        .join(' · ')}`}
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
