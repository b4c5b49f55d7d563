import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import type { JSX } from 'react'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import type { DeviceDrawerProps } from './device-drawer.tsx'

const DeviceDrawer = lazyPart(async () => (await import('./device-drawer.tsx')).DeviceDrawer)

type AlertsButtonProps = Omit<DeviceDrawerProps, 'open' | 'onOpenChange'> & {
  /** In a row of icons, in one with words, or among other buttons of a section. */
  look: 'icon' | 'words' | 'section'
}

/** Shows whether requests can be heard here while the device sleeps; opens the drawer with the details. */
export function AlertsButton({ look, ...props }: AlertsButtonProps): JSX.Element {
  const dialog = useDialog()
  const isPushOn = props.shift.push.state === 'on'
  const isSection = look === 'section'
  const BellIcon = isPushOn ? Bell : BellOff
  return (
    <>
      <Button
        variant={isSection ? 'secondary' : 'quiet'}
        size={isSection ? undefined : 44}
        aria-haspopup="dialog"
        icon={<BellIcon aria-hidden className={isPushOn ? undefined : 'text-text-mute'} />}
        onClick={() => dialog.open()}
      >
        <span className={isSection ? undefined : 'sr-only'}>
          {t(isPushOn ? 'Alerts on this phone on' : 'Alerts on this phone off')}
        </span>
        {look === 'words' && <span aria-hidden>{t(isPushOn ? 'Alerts on' : 'Alerts off')}</span>}
      </Button>
      {dialog.mounted && <DeviceDrawer {...props} {...dialog.props} />}
    </>
  )
}
