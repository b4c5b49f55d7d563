import { useCallback, useEffect, useRef } from 'react'
import type { ClosedRequest, ServiceRequest } from '#contract/requests/requests.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import type { Chime } from '../device/chime.ts'

export type WorkSnapshot = {
  open: readonly ServiceRequest[]
  recent: readonly ClosedRequest[]
  /** The names of the colleagues `me` covers for. */
  covering: readonly string[]
}

export type WorkChanges = {
  /** Cancelled by their guests while `me` was on the way. */
  cancelled: readonly ServiceRequest[]
  /** Handed over to `me` by a colleague who was on the way. */
  handedOver: readonly ServiceRequest[]
  /** Where parties went while `me` was on the way to them. */
  moved: readonly Move[]
  covering: readonly string[]
}

type Move = { from: string; to: string }

/** What others changed in the work of `me` between two snapshots. `me` is null until a name is chosen. */
export function diffWork(before: WorkSnapshot, after: WorkSnapshot, me: string | null): WorkChanges {
  const closedBefore = new Set(before.recent.map(({ request }) => request.id))
  const holders = new Map(before.open.map(({ id, acceptedBy }) => [id, acceptedBy?.id]))
  const own = before.open.filter((request) => isAcceptedBy(request, me))
  const tables = new Map(own.map(({ id, tableNumber }) => [id, tableNumber]))
  const moves = after.open.flatMap((request) => {
    const [from, to] = [tables.get(request.id), request.tableNumber]
    return from === undefined || from === to || !isAcceptedBy(request, me) ? [] : { from, to }
  })
  return {
    cancelled: after.recent
      .filter(
        ({ request, cancelled }) => cancelled && !closedBefore.has(request.id) && isAcceptedBy(request, me),
      )
      .map(({ request }) => request),
    handedOver: after.open.filter((request) => {
      const holder = holders.get(request.id)
      return me !== null && isAcceptedBy(request, me) && typeof holder === 'string' && holder !== me
    }),
    moved: [...new Map(moves.map((move) => [JSON.stringify(move), move])).values()],
    covering: after.covering.filter((name) => !before.covering.includes(name)),
  }
}

const isAcceptedBy = ({ acceptedBy }: ServiceRequest, me: string | null): boolean =>
  acceptedBy !== null && acceptedBy.id === me

export function tablesText(requests: readonly ServiceRequest[]): string {
  const tables = [...new Set(requests.map(({ tableNumber }) => tableNumber))]
  return plural(tables.length, 'Table {tables}', 'Tables {tables}', { tables: tables.join(', ') })
}

/** The message about a break follows the requests it hands over; one toast covers both. A move's answer may be first, too. */
const groupingMs = 3000

type Observation = WorkSnapshot & { me: string | null }

/** Makes the call that moves a party, or undoes it: where that one goes is no news to this screen. */
export type MoveAsOwn = <T>(move: Move, call: () => Promise<T>) => Promise<T>

const eitherWay = ({ from, to }: Move): string => JSON.stringify([from, to].toSorted())

/** Toast and sound when others change the work of `me`. `shown` is null before the first list. */
export function useWorkChangeAlerts(shown: WorkSnapshot | null, me: string | null, chime: Chime): MoveAsOwn {
  const { toast } = useToast()
  /** Until when moves between these tables are this screen's own. */
  const ownMoves = useRef(new Map<string, number>())
  const previous = useRef<Observation | null>(null)
  const lastHandover = useRef({ at: -Infinity, text: '' })

  useEffect(() => {
    const before = previous.current
    previous.current = shown && { ...shown, me }
    if (!before || !shown || before.me !== me) return
    const { cancelled, handedOver, moved: allMoved, covering } = diffWork(before, shown, me)
    const moved = allMoved.filter((move) => Date.now() >= (ownMoves.current.get(eitherWay(move)) ?? 0))
    if (handedOver.length > 0) {
      lastHandover.current = {
        at: Date.now(),
        text: t('{tables}: you are on the way', { tables: tablesText(handedOver) }),
      }
    }
    const { at, text } = lastHandover.current
    const recentHandover = Date.now() - at < groupingMs ? text : ''
    if (cancelled.length > 0)
      toast({ title: t('Cancelled by the guest'), description: tablesText(cancelled) })
    else if (covering.length > 0) {
      const title = t('You cover for {names}', { names: covering.join(', ') })
      toast({ title, description: recentHandover || t('Their tables call you now') })
    } else if (handedOver.length > 0) toast({ title: t('Handed to you'), description: text })
    else if (moved.length > 0)
      toast({ title: moved.map((move) => t('Table {from} moved to {to}', move)).join(' · ') })
    else return
    chime.play('call')
  }, [shown, me, chime, toast])

  return useCallback(async (move, call) => {
    const key = eitherWay(move)
    ownMoves.current.set(key, Infinity)
    try {
      return await call()
    } finally {
      ownMoves.current.set(key, Date.now() + groupingMs)
    }
  }, [])
}
