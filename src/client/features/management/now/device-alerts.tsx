import BellOff from 'lucide-react/icons/bell-off'
import BellRing from 'lucide-react/icons/bell-ring'
import { type JSX, useState } from 'react'
import type { PushState } from '../../../api/push.ts'
import { useClearedNotifications, usePush } from '../../../api/use-push.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'

const pushTexts: Record<PushState['state'], string> = {
  on: 'This device is called when a guest waits too long or nobody listens, even while this page is closed: until you sign out, and for 12 hours at most.',
  off: 'Be called when a guest waits too long or nobody listens, even while this page is closed.',
  denied: "This browser blocks alerts of this page. Allow notifications for it in the browser's settings.",
  unsupported:
    'This browser gives no alerts while the page is closed. On an iPhone, add this page to your Home Screen first.',
}

/** Whether this device is alerted while nobody looks at it, and the button that changes that. */
export function DeviceAlerts(): JSX.Element {
  const { push, switchOn, switchOff } = usePush(null, 'manager')
  useClearedNotifications('manager')
  const [busy, run] = useTask()
  const [failed, setFailed] = useState(false)

  async function change(): Promise<void> {
    setFailed(false)
    if (push.state === 'on') await switchOff()
    else setFailed((await switchOn()).state === 'off')
  }

  const isOn = push.state === 'on'
  const hasFailed = failed && push.state === 'off'
  const Icon = isOn ? BellRing : BellOff
  return (
    <section
      aria-label={t('Alerts on this device')}
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border border-rule bg-plate px-4 py-3 sm:px-6"
    >
      <Icon aria-hidden size={24} className={isOn ? 'shrink-0 text-done' : 'shrink-0 text-text-mute'} />
      <p role="status" className="min-w-[min(12rem,100%)] flex-1">
        {t(hasFailed ? 'Alerts could not be turned on here. Please try again.' : pushTexts[push.state])}
      </p>
      {(isOn || push.state === 'off') && (
        <Button pending={busy} onClick={() => void run(change)}>
          {t(isOn ? 'Stop alerts on this device' : 'Get alerts on this device')}
        </Button>
      )}
    </section>
  )
}
