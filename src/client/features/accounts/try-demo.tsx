import type { JSX } from 'react'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useResetSession } from '../../api/session.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { t } from '../../lib/texts/translate.ts'
import { browserTimeZone } from '../../lib/time/browser-time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { rememberDemo } from './demo-over.tsx'
import { rememberRestaurant } from './restaurant-session.ts'

/** Opens a demo restaurant of the visitor's own, where a guest's and the crew's screen stand side by side. */
export function TryDemo(): JSX.Element {
  const [busy, run] = useTask()
  const resetSession = useResetSession()
  const showError = useErrorToast()
  const [, navigate] = useLocation()

  async function start(): Promise<void> {
    try {
      const { restaurantName } = await call(api.accounts.tryDemo, { body: { timeZone: browserTimeZone() } })
      rememberRestaurant(restaurantName)
      rememberDemo()
      await resetSession()
      navigate('/admin/try')
    } catch (error) {
      showError(errorMessage(error, 'The demo could not be started. Please try again.'))
    }
  }

  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {/* As wide as the button above it on the landing page. */}
      <div className="w-full sm:w-64">
        <Button
          size={56}
          wide
          pending={busy}
          pendingLabel={t('Preparing the demo…')}
          onClick={() => void run(start)}
        >
          {t('Try the demo')}
        </Button>
      </div>
      <p className="text-text-mute">{t('Yours for an hour, then erased. No account needed.')}</p>
    </div>
  )
}
