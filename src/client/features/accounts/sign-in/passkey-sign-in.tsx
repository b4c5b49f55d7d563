import KeyRound from 'lucide-react/icons/key-round'
import type { JSX } from 'react'
import { useLocation } from 'wouter'
import { canUsePasskeys, passkeyErrorMessage, signInWithPasskey } from '../../../api/passkeys.ts'
import { useResetSession } from '../../../api/session.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'

const managersPages = /^\/management-dashboard(?![^/?#])/iu

/** Replaces username, password and code. `next` may be the owner's page: managers go to their own then. */
export function PasskeySignIn({ next }: { next: string }): JSX.Element | null {
  const [busy, run] = useTask()
  const renewSession = useResetSession()
  const [, navigate] = useLocation()
  const { dismiss } = useToast()
  const showError = useErrorToast()
  if (!canUsePasskeys()) return null

  async function signIn(): Promise<void> {
    dismiss()
    try {
      const { restaurantName, as } = await signInWithPasskey()
      rememberRestaurant(restaurantName)
      await renewSession()
      navigate(as === 'owner' || managersPages.test(next) ? next : '/management-dashboard')
    } catch (error) {
      const message = passkeyErrorMessage(error, 'The passkey did not work. Please try again.')
      if (message !== null) showError(message, 'Login Failed')
    }
  }

  return (
    <Button wide icon={<KeyRound aria-hidden size={20} />} pending={busy} onClick={() => void run(signIn)}>
      {t('Sign in with a passkey')}
    </Button>
  )
}
