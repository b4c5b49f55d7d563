import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { CrewMember, CrewRole } from '#contract/crew/crew.ts'
import { type QuickMessageKey, quickMessageLabels } from '#contract/crew/messages.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { minuteMs } from '#contract/durations.ts'
import type { PersonRef } from '#contract/requests/requests.ts'
import { useLive, useLiveReducer } from '../../api/live/use-live.ts'
import { useOptimisticRequest } from '../../api/live/use-optimistic-request.ts'
import { newId } from '../../lib/new-id.ts'
import { t } from '../../lib/texts/translate.ts'
import { useErrorToast, useToast } from '../../ui/toast/toast.tsx'
import {
  roleCallsReducer,
  type LocalAction,
  initialRoleCallsState,
  type RoleCallsState,
} from './role-calls-reducer.ts'

export type RoleCalls = {
  /** Unclaimed calls to the crew member's own role or by the crew member. */
  shown: readonly RoleCall[]
  /** Tapped here and not answered yet. */
  pendingIds: ReadonlySet<string>
  /** Of these, what can still be taken back. */
  askingIds: ReadonlySet<string>
  ask: (role: CrewRole, messageKey: QuickMessageKey, tableNumber: string | null) => void
  claim: (call: RoleCall) => void
  /** Of an own call: nobody is alerted anymore. */
  takeBack: (call: RoleCall) => void
}

/** A call that could not be sent for longer is about nothing anymore. */
const sendableMs = 15 * minuteMs

/** Calls to anybody free in a role, live. A tap is kept until the server has answered it. */
export function useRoleCalls(me: CrewMember): RoleCalls {
  const [state, dispatch] = useLiveReducer<RoleCallsState, LocalAction>(
    roleCallsReducer,
    initialRoleCallsState,
  )
  const live = useLive()
  const request = useOptimisticRequest(useErrorToast())
  const showClaimer = useClaimerToast(me)

  const ask = useCallback<RoleCalls['ask']>(
    (role, messageKey, tableNumber) => {
      const now = Date.now()
      const id = newId(now)
      const from = { id: me.id, name: me.name }
      const call = { id, role, messageKey, tableNumber, from, timestamp: now, claimedBy: null, alerts: 1 }
      request({
        message: { type: 'send-role-message', id, role, messageKey, tableNumber },
        due: { sendBefore: now + sendableMs },
        errorTitle: callText(call),
        apply: () => dispatch({ type: 'asking', call }),
        confirm: (reply) => dispatch({ type: 'asked', call: reply.call }),
        rollBack: () => dispatch({ type: 'not-asked', id }),
      })
    },
    [dispatch, request, me],
  )

  const claim = useCallback<RoleCalls['claim']>(
    (call) => {
      const { id } = call
      request({
        message: { type: 'claim-role-message', id },
        apply: () => dispatch({ type: 'claiming', id }),
        confirm(reply) {
          dispatch({ type: 'claimed', id })
          const by = reply.call.claimedBy
          if (by && (by.id !== me.id || call.from.id !== me.id)) showClaimer(call, by)
        },
        rollBack: () => dispatch({ type: 'not-claimed', id }),
      })
    },
    [dispatch, request, me, showClaimer],
  )

  const takeBack = useCallback<RoleCalls['takeBack']>(
    (call) => {
      // One that may have been sent is claimed right after it.
      if (live.cancelUnsent('send-role-message', call.id)) dispatch({ type: 'not-asked', id: call.id })
      else claim(call)
    },
    [live, dispatch, claim],
  )

  return useMemo<RoleCalls>(() => {
    const asking = state.asking.map(({ call }) => call)
    const ids = asking.map(({ id }) => id)
    return {
      shown: [...state.calls, ...asking].filter(({ role, from }) => role === me.role || from.id === me.id),
      pendingIds: new Set([...state.claiming, ...ids]),
      askingIds: new Set(ids.filter((id) => !state.claiming.has(id))),
      ask,
      claim,
      takeBack,
    }
  }, [state, me, ask, claim, takeBack])
}

function useClaimerToast(me: CrewMember): (call: RoleCall, by: PersonRef) => void {
  const { toast } = useToast()
  return useCallback(
    (call, by) =>
      toast({
        title: by.id === me.id ? t("It's yours") : t('{name} does it', { name: by.name }),
        description: callText(call),
      }),
    [toast, me],
  )
}

/** Tells the crew member who has claimed their call. */
export function useClaimedToast(calls: readonly RoleCall[], me: CrewMember): void {
  const live = useLive()
  const showClaimer = useClaimerToast(me)
  const latestCalls = useRef(calls)
  useEffect(() => {
    latestCalls.current = calls
  }, [calls])
  useEffect(
    () =>
      live.onMessage((message) => {
        if (message.type !== 'role-message-claimed' || message.by.id === me.id) return
        const own = latestCalls.current.find(({ id, from }) => id === message.id && from.id === me.id)
        if (own) showClaimer(own, message.by)
      }),
    [live, me, showClaimer],
  )
}

export const callText = ({ messageKey, tableNumber }: RoleCall): string =>
  [t(quickMessageLabels[messageKey]), tableNumber && t('Table {table}', { table: tableNumber })]
    .filter(Boolean)
    .join(' · ')
