import './hidden-tickets-line.css'
import './sideways-large-text.css'
import { type JSX, memo, useCallback, useDeferredValue, useMemo, useSyncExternalStore } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'
import { requestsInView } from '../alerts/requests-in-view.ts'
import type { ObserveRequest, ShownRequests, WatchedRequests } from '../alerts/watched-requests.ts'
import { coversBottom } from '../covers.ts'

type HiddenTicketsLineProps = ShownRequests & {
  open: readonly ServiceRequest[]
  /** Requests whose tickets are rendered. */
  rendered: readonly ServiceRequest[]
}

/** Lists the tables whose tickets are out of view, so that no request goes unseen. */
export function HiddenTicketsLine(props: HiddenTicketsLineProps): JSX.Element | null {
  const { tickets, names } = props
  // The tickets are drawn first, and not again with this line.
  const open = useDeferredValue(props.open)
  const rendered = useDeferredValue(props.rendered)
  const outOfView = useOutOfView(tickets)
  const hidden = useMemo(() => {
    const ids = new Set(rendered.map(({ id }) => id))
    return open.filter(({ id }) => !ids.has(id) || outOfView.has(id))
  }, [open, rendered, outOfView])
  return hidden.length === 0 ? null : <Line hidden={hidden} names={names} />
}

function useOutOfView(watched: WatchedRequests): ReadonlySet<string> {
  const { subscribe, get } = requestsInView(watched)
  return useSyncExternalStore(subscribe, get).outOfView
}

/** More than fit the line on any screen. */
const maxNames = 40
/** A longer name may be wider than the line, and would hide those behind it. */
const isLong = ({ tableNumber }: ServiceRequest): boolean => tableNumber.length > 20

type LineProps = { hidden: readonly ServiceRequest[]; names: WatchedRequests }

/** Names as many tables as have room, and counts the others. */
function Line({ hidden, names }: LineProps): JSX.Element {
  const outOfView = useOutOfView(names)
  const inOrder = hidden.toSorted((a, b) => Number(isLong(a)) - Number(isLong(b)))
  const notNamed = inOrder.filter(({ id }, index) => index >= maxNames || outOfView.has(id)).length
  return (
    <p ref={coversBottom} aria-hidden className="not-in-view">
      <strong>{t('{count} not in view', { count: hidden.length })}</strong>
      <span className="not-in-view-names">
        {inOrder.slice(0, maxNames).map(({ id, tableNumber }) => (
          <Name key={id} id={id} tableNumber={tableNumber} observe={names.observe} />
        ))}
      </span>
      {notNamed > 0 && <bdi className="ms-2">{`+${notNamed}`}</bdi>}
    </p>
  )
}

type NameProps = Pick<ServiceRequest, 'id' | 'tableNumber'> & { observe: ObserveRequest }

const Name = memo(function Name({ id, tableNumber, observe }: NameProps): JSX.Element {
  return (
    <span>
      {' · '}
      <span ref={useCallback((name: HTMLElement) => observe(name, id), [observe, id])}>{tableNumber}</span>
    </span>
  )
})
