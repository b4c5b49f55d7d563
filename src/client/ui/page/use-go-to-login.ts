import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { useTimeout } from '../../lib/hooks/use-timeout.ts'
import { t } from '../../lib/texts/translate.ts'
import { useToast } from '../toast/toast.tsx'

type LoginNeeded = {
  login: string
  message: string
  /** Otherwise it is an error. */
  isExpected?: boolean
  afterMs?: number
}

/** As the server words it. */
export const restaurantDeletedText =
  'The owner has deleted this restaurant. Only the owner can still sign in.'

/**
 * Says that a sign-in is needed, and goes there a moment later; Back then goes to the page before. The function keeps its
 * identity, so effects may depend on it.
 */
export function useGoToLogin(): (needed: LoginNeeded) => void {
  const { toast } = useToast()
  const later = useTimeout()
  const [, navigate] = useLocation()
  return useCallback(
    ({ login, message, isExpected = false, afterMs = 1_000 }) => {
      toast({
        title: t(isExpected ? 'Signed out' : 'Unauthorized'),
        description: t(message),
        destructive: !isExpected,
      })
      later(afterMs, () => navigate(login, { replace: true }))
    },
    [toast, later, navigate],
  )
}
