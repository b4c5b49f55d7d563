import { errorMessage } from '../../../api/http.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useErrorToastOrSignIn } from '../use-sign-in-redirect.ts'

type Change = { send: () => Promise<unknown>; successMessage: string; errorMessage: string }

/** Makes a change, and says in a toast how it went. */
export function useOutcomeToast(): (change: Change) => Promise<void> {
  const { toast } = useToast()
  const reportError = useErrorToastOrSignIn()
  return async ({ send, successMessage, errorMessage: fallback }) => {
    try {
      await send()
      toast({ title: t('Success'), description: t(successMessage) })
    } catch (error) {
      reportError(error, errorMessage(error, fallback))
    }
  }
}
