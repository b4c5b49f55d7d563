import { type JSX, memo, useCallback, useMemo, useSyncExternalStore } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { coversBottom } from '../covered-edges.ts'
import type { ObserveRequest } from './requests-in-view.ts'
import type { SeenRequests } from './use-seen-requests.ts'
import { t } from '../../../lib/translate.ts'

type HiddenTicketsLineProps = {
  open: readonly ServiceRequest[]
  /** Requests whose tickets are rendered. */
  rendered: readonly ServiceRequest[]
  seen: SeenRequests
}

/** Lists the tables whose tickets are out of view, so that no request goes unseen. */
export function HiddenTicketsLine({ open, rendered, seen }: HiddenTicketsLineProps): JSX.Element | null {
  const { outOfView } = useSyncExternalStore(seen.tickets.subscribe, seen.tickets.get)
  const hidden = useMemo(() => {
    const ids = new Set(rendered.map(({ id }) => id))
    return open.filter(({ id }) => !ids.has(id) || outOfView.has(id))
  }, [open, rendered, outOfView])
  return hidden.length === 0 ? null : <Line hidden={hidden} seen={seen} />
}

/** More than fit the line on any screen. */
const maxNames = 40

type LineProps = { hidden: readonly ServiceRequest[]; seen: SeenRequests }

/** Names as many tables as have room, and counts the others. */
function Line({ hidden, seen }: LineProps): JSX.Element {
  const { outOfView } = useSyncExternalStore(seen.names.subscribe, seen.names.get)
  const notNamed = hidden.filter(({ id }, index) => index >= maxNames || outOfView.has(id)).length
  return (
    <p ref={coversBottom} aria-hidden className="not-in-view">
      <strong>{t('{count} not in view', { count: hidden.length })}</strong>
      <span className="not-in-view-names">
        {hidden.slice(0, maxNames).map(({ id, tableNumber }) => (
          <Name key={id} id={id} tableNumber={tableNumber} observe={seen.observeName} />
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
