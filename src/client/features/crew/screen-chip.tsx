import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Play from 'lucide-react/icons/play'
import { type JSX, Suspense } from 'react'
import { Button } from '../../ui/button.tsx'
import { late } from './late.ts'
import type { ScreenDrawerProps } from './screen-drawer.tsx'
import { SoundButton } from './sound-button.tsx'
import { useLateDialog } from './use-late-dialog.ts'

const ScreenDrawer = late(async () => (await import('./screen-drawer.tsx')).ScreenDrawer)

/** Whether a request can be heard here right now, awake or asleep; one tap to what is wrong. */
export function ScreenChip(props: Omit<ScreenDrawerProps, 'open' | 'onOpenChange'>): JSX.Element {
  const { flow, chime, sound, start } = props.shift
  const dialog = useLateDialog()
  const pushed = props.shift.push.state === 'on'
  const BellIcon = pushed ? Bell : BellOff
  return (
    <div className="flex items-center rounded-control border border-rule">
      {sound === 'locked' && flow.started ? (
        <Button variant="primary" icon={<Play aria-hidden />} onClick={start}>
          Start shift
        </Button>
      ) : (
        <SoundButton chime={chime} sound={sound} />
      )}
      <Button
        variant="quiet"
        aria-haspopup="dialog"
        icon={<BellIcon aria-hidden className={pushed ? 'text-done' : 'text-text-mute'} />}
        onClick={dialog.show}
      >
        <span className="max-sm:sr-only">
          Alerts <span className="sr-only">on this phone </span>
          {pushed ? 'on' : 'off'}
        </span>
      </Button>
      {dialog.wasOpened && (
        <Suspense>
          <ScreenDrawer {...props} {...dialog.props} />
        </Suspense>
      )}
    </div>
  )
}
