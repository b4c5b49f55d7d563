import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Play from 'lucide-react/icons/play'
import { type JSX } from 'react'
import { Button } from '../../../ui/button.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'
import type { DeviceDrawerProps } from './device-drawer.tsx'
import { SoundButton } from './sound-button.tsx'

const DeviceDrawer = lazyPart(async () => (await import('./device-drawer.tsx')).DeviceDrawer)

/** Shows whether requests can be heard here right now, awake or asleep; opens the drawer with the details. */
export function DeviceStatusButton(props: Omit<DeviceDrawerProps, 'open' | 'onOpenChange'>): JSX.Element {
  const { flow, chime, sound, start } = props.shift
  const dialog = useLazyDialog()
  const isPushOn = props.shift.push.state === 'on'
  const BellIcon = isPushOn ? Bell : BellOff
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
        icon={<BellIcon aria-hidden className={isPushOn ? 'text-done' : 'text-text-mute'} />}
        onClick={dialog.show}
      >
        <span className="max-sm:sr-only">
          Alerts <span className="sr-only">on this phone </span>
          {isPushOn ? 'on' : 'off'}
        </span>
      </Button>
      {dialog.mounted && <DeviceDrawer {...props} {...dialog.props} />}
    </div>
  )
}
