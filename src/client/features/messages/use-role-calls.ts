import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { CrewMember, CrewRole } from '#contract/crew.ts'
import { type QuickMessageKey, quickMessageLabels } from '#contract/messages.ts'
import type { PersonRef } from '#contract/requests.ts'
import type { RoleCall } from '#contract/shift.ts'
import { useLive, useLiveReducer } from '../../api/use-live.ts'
import { newId } from '../../lib/new-id.ts'
import { useToast } from '../../ui/toast.tsx'
import { useLiveErrorToast } from './use-fail.ts'
import {
  roleCallsReducer,
  type LocalAction,
  initialRoleCallsState,
  type RoleCallsState,
} from './role-calls-reducer.ts'

export type RoleCalls = {
  /** To one's own role or by oneself, that nobody claimed yet. */
  shown: readonly RoleCall[]
  /** Tapped here, and not answered yet. */
  pendingIds: ReadonlySet<string>
  ask: (role: CrewRole, messageKey: QuickMessageKey, tableNumber: string | null) => void
  claim: (call: RoleCall) => void
}

/** What is asked of whoever of a role is free, live. A tap is kept until the server answered it. */
export function useRoleCalls(me: CrewMember): RoleCalls {
  const live = useLive()
  const { toast } = useToast()
  const [state, dispatch] = useLiveReducer<RoleCallsState, LocalAction>(
    roleCallsReducer,
    initialRoleCallsState,
  )
  const fail = useLiveErrorToast()
  const tellWho = useCallback(
    (call: RoleCall, by: PersonRef) =>
      toast({ title: by.id === me.id ? "It's yours" : `${by.name} does it`, description: callText(call) }),
    [toast, me],
  )
  useClaimedToast(state.calls, me, tellWho)

  const ask = useCallback<RoleCalls['ask']>(
    (role, messageKey, tableNumber) => {
      const now = Date.now()
      const id = newId(now)
      const from = { id: me.id, name: me.name }
      const call = { id, role, messageKey, tableNumber, from, timestamp: now, claimedBy: null, alerts: 1 }
      dispatch({ type: 'asking', call })
      live.request({ type: 'send-role-message', id, role, messageKey, tableNumber }).then(
        (answer) => dispatch({ type: 'asked', call: answer.call ?? call }),
        (problem: unknown) => {
          dispatch({ type: 'not-asked', id })
          fail(problem)
        },
      )
    },
    [dispatch, live, me, fail],
  )

  const claim = useCallback<RoleCalls['claim']>(
    (call) => {
      const { id } = call
      dispatch({ type: 'claiming', id })
      live.request({ type: 'claim-role-message', id }).then(
        (answer) => {
          dispatch({ type: 'claimed', id })
          const by = answer.call?.claimedBy
          if (by && (by.id !== me.id || call.from.id !== me.id)) tellWho(call, by)
        },
        (problem: unknown) => {
          dispatch({ type: 'not-claimed', id })
          fail(problem)
        },
      )
    },
    [dispatch, live, me, tellWho, fail],
  )

  return useMemo<RoleCalls>(() => {
    const asking = state.asking.map(({ call }) => call)
    return {
      shown: [...state.calls, ...asking].filter(({ role, from }) => role === me.role || from.id === me.id),
      pendingIds: new Set([...state.claiming, ...asking.map(({ id }) => id)]),
      ask,
      claim,
    }
  }, [state, me, ask, claim])
}

/** Who asked learns who does it. */
function useClaimedToast(
  calls: readonly RoleCall[],
  me: CrewMember,
  tellWho: (call: RoleCall, by: PersonRef) => void,
): void {
  const live = useLive()
  const known = useRef(calls)
  useEffect(() => {
    known.current = calls
  }, [calls])
  useEffect(
    () =>
      live.onMessage((message) => {
        if (message.type !== 'role-message-claimed' || message.by.id === me.id) return
        const own = known.current.find(({ id, from }) => id === message.id && from.id === me.id)
        if (own) tellWho(own, message.by)
      }),
    [live, me, tellWho],
  )
}

const callText = ({ messageKey, tableNumber }: RoleCall): string =>
  [quickMessageLabels[messageKey], tableNumber && `Table ${tableNumber}`].filter(Boolean).join(' · ')
