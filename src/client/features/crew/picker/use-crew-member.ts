import { useEffect, useEffectEvent, useMemo, useReducer, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import { type CrewMember, crewRoles } from '#contract/crew/crew.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { ApiError } from '../../../api/http.ts'
import { useListUpdates } from '../../../api/live/use-list-updates.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useApiQuery, useApiQueryOrNull } from '../../../api/queries.ts'
import {
  removeStored,
  getSelectedMember,
  getStored,
  setStored,
} from '../../../lib/browser/browser-storage.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { localDate } from '../../../lib/time/dates.ts'
import { showTime } from '../../../lib/time/ticker.ts'
import { useErrorToast, useErrorToastWhen, useToast } from '../../../ui/toast/toast.tsx'
import { type PickerState, selectedMemberId, pickerReducer, initialPickerState } from './picker-flow.ts'

export type CrewMemberPicker = {
  /** False when this browser has no sign-in to the restaurant. */
  authorized: boolean
  crew: readonly CrewMember[]
  loading: boolean
  flow: PickerState
  /** The chosen crew member; null while the name is not known yet. */
  member: CrewMember | null
  choose: (crewMemberId: string) => void
  enterPin: (pin: string) => void
  cancelPin: () => void
}

type ScreenSession = {
  /** The restaurant's name as used in links and calls; null while unknown. */
  restaurantId: string | null
  /** The member of a crew login, if the login page has not stored it in this tab. */
  crewMemberId: string | null
  isSignedOut: boolean
}

/** The login page stores it in its tab; a tab that was opened later asks the server. */
export function useScreenSession(): ScreenSession {
  const stored = getStored('restaurantId')
  const { data } = useApiQueryOrNull(api.accounts.session, stored === null ? {} : null)
  return {
    restaurantId: stored ?? data?.restaurantName ?? null,
    crewMemberId: data?.crewMember?.id ?? null,
    isSignedOut: data === null,
  }
}

/** A crew member signed in with their own login, which proves identity; choosing a name does not. */
export const isSignedInAs = ({ id }: CrewMember, { crewMemberId }: ScreenSession): boolean =>
  id === (getStored('crewMemberId') ?? crewMemberId)

const refusalCodes = new Set<ErrorCode>(['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'])

const crewChanges = ['crew-changed', 'floor-changed'] as const
const crewLists = [api.crew.byRestaurant, api.floor.tablesByRestaurant, api.floor.crewAssignments]

/** Who works at this screen: chosen here, or signed in at the crew login. */
export function useCrewMember({
  restaurantId,
  crewMemberId: signedIn,
  isSignedOut,
}: ScreenSession): CrewMemberPicker {
  const live = useLive()
  const showError = useErrorToast()
  const crew = useApiQueryOrNull(
    api.crew.byRestaurant,
    restaurantId === null ? null : { query: { restaurantId } },
  )
  useErrorToastWhen(crew.isLoadingError && !isNotFound(crew.error), 'Failed to fetch crew members')
  useListUpdates(crewChanges, crewLists)

  const [flow, dispatch] = useReducer(pickerReducer, null, () => initialPickerState(getSelectedMember()))
  const crewMemberId = selectedMemberId(flow)
  const pin = flow.step === 'asking' || flow.step === 'chosen' ? flow.pin : null

  useEffect(() => {
    if (crewMemberId === null) return undefined
    live.setContext(
      { type: 'set-crew-member-context', crewMemberId, ...(pin !== null && { pin }) },
      (error) => {
        if (!error) return dispatch({ type: 'accepted' })
        const { code, message } = error
        const pinRequired = code === 'pin_required' || (code === 'rate_limited' && pin !== null)
        // Other errors say nothing about the name; it is sent again with the next connection.
        if (!pinRequired && !refusalCodes.has(code)) return
        dispatch({ type: 'refused', pinRequired, message })
        if (!pinRequired && code !== 'not_found') showError(message)
      },
    )
    return () => live.clearContext('set-crew-member-context')
  }, [live, showError, crewMemberId, pin])

  useEffect(() => {
    if (flow.step === 'nobody') removeStored('crew-member-id')
    if (crewMemberId !== null) setStored('crew-member-id', crewMemberId)
  }, [flow.step, crewMemberId])

  const isNobody = flow.step === 'nobody'
  useEffect(() => {
    if (isNobody && signedIn !== null) dispatch({ type: 'choose', crewMemberId: signedIn })
  }, [isNobody, signedIn])

  const members = useMemo(() => crew.data ?? [], [crew.data])
  const member = useMemo(
    () => members.find(({ id }) => id === crewMemberId) ?? rememberedMember(crewMemberId),
    [members, crewMemberId],
  )
  useRemoval(crew.data ?? null, crewMemberId, () =>
    dispatch({ type: 'refused', pinRequired: false, message: '' }),
  )
  // The browser may be signed in to a different restaurant than this tab was opened for.
  const authorized = !isSignedOut && crew.data !== null && !isNotFound(crew.error)
  const loading = crew.isPending
  return useMemo(
    () => ({
      authorized,
      crew: members,
      loading,
      flow,
      member,
      choose: (id) => dispatch({ type: 'choose', crewMemberId: id }),
      enterPin: (entered) => dispatch({ type: 'enter-pin', pin: entered }),
      cancelPin: () => dispatch({ type: 'cancel-pin' }),
    }),
    [authorized, members, loading, flow, member],
  )
}

/** Tells whoever works at this screen that they were removed from the crew, once the list lacks them. */
function useRemoval(
  crew: readonly CrewMember[] | null,
  crewMemberId: string | null,
  onRemoved: () => void,
): void {
  const { toast } = useToast()
  const known = useRef<CrewMember>(undefined)
  const tell = useEffectEvent((name: string) => {
    onRemoved()
    toast({ title: t('{name} was removed from the crew', { name }), description: t('Select your name') })
  })
  useEffect(() => {
    if (crew === null) return
    const before = known.current
    known.current = crew.find(({ id }) => id === crewMemberId)
    if (before && before.id === crewMemberId && !known.current) tell(before.name)
  }, [crew, crewMemberId])
}

/** The crew member's tables today, by the browser's calendar. */
export function useMyTables(restaurantId: string | null, crewMemberId: string | null): readonly string[] {
  const live = useLive()
  const date = useToday()
  const known = restaurantId !== null && crewMemberId !== null
  const tables = useApiQuery(api.floor.tablesByRestaurant, known ? { query: { restaurantId } } : null)
  const assignments = useApiQuery(
    api.floor.crewAssignments,
    known ? { query: { restaurantId, crewMemberId, date } } : null,
  )
  useErrorToastWhen(tables.isError && !isRefused(tables.error), 'Failed to fetch tables')
  useErrorToastWhen(assignments.isError && !isRefused(assignments.error), 'Failed to fetch assignments')

  const numbers = useMemo(() => {
    const numberOf = new Map(tables.data?.map(({ id, tableNumber }) => [id, tableNumber]))
    const mine = (assignments.data ?? []).flatMap(({ tableId }) => numberOf.get(tableId) ?? [])
    return mine.toSorted(compareNatural)
  }, [tables.data, assignments.data])

  useEffect(() => {
    if (crewMemberId === null) return undefined
    live.setContext({ type: 'update-assigned-tables', tables: [...numbers] })
    return () => live.clearContext('update-assigned-tables')
  }, [live, crewMemberId, numbers])
  return numbers
}

/** It changes at midnight, without a timer that looks every minute. */
function useToday(): string {
  const [date, setDate] = useState(() => localDate(serverNow()))
  useEffect(
    () =>
      showTime((now) => {
        setDate(localDate(now))
        return new Date(now).setHours(24, 0, 0, 0)
      }),
    [],
  )
  return date
}

/** Whoever was removed from the crew, or signed out, has nothing to load; the screen says by itself what has happened. */
const isRefused = (error: Error | null): boolean =>
  error instanceof ApiError && [401, 403, 404].includes(error.status)

const isNotFound = (error: Error | null): boolean => error instanceof ApiError && error.status === 404

function rememberedMember(crewMemberId: string | null): CrewMember | null {
  const name = getStored('crewMemberName')
  const role = crewRoles.find((known) => known === getStored('crewRole'))
  if (crewMemberId === null || crewMemberId !== getStored('crewMemberId') || name === null || !role)
    return null
  return { id: crewMemberId, name, role }
}
