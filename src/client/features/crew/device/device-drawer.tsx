import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import { type JSX, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../../api/use-live.ts'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import {
  wakeLockStatuses,
  connectionStatus,
  pushStatus,
  soundStatuses,
  type DeviceStatus,
} from './device-status-text.ts'
import type { Shift } from '../shift/use-shift.ts'

export type DeviceDrawerProps = {
  shift: Shift
  onShortcuts: () => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The state of sound, alerts, connection and screen, each with what to do about it. */
export function DeviceDrawer({ shift, onShortcuts, open, onOpenChange }: DeviceDrawerProps): JSX.Element {
  const { chime, sound, push, wakeLock, flow, start, switchPush } = shift
  const connection = useConnection()
  const [, navigate] = useLocation()
  return (
    <Drawer title="This screen" open={open} onOpenChange={onOpenChange}>
      <ul className="flex flex-col divide-y divide-rule">
        <StatusRow state={soundStatuses[sound]}>
          {sound === 'on' && <Button onClick={() => chime.play('new')}>Test sound</Button>}
          {sound === 'off' && <Button onClick={() => void chime.start()}>Turn sound on</Button>}
        </StatusRow>
        <StatusRow state={pushStatus(push)}>
          {push.state === 'off' && <Button onClick={() => switchPush(true)}>Turn alerts on</Button>}
          {push.state === 'on' && <Button onClick={() => switchPush(false)}>Turn alerts off</Button>}
        </StatusRow>
        <StatusRow state={connectionStatus(connection)} />
        <StatusRow state={wakeLockStatuses[wakeLock]} />
      </ul>
      <div className="flex flex-col gap-3">
        {!flow.started && (
          <Button
            variant="primary"
            onClick={() => {
              onOpenChange(false)
              start()
            }}
          >
            Start shift
          </Button>
        )}
        <Button onClick={() => navigate('/waiter?display')}>Wall display</Button>
        <div className="grid max-lg:hidden">
          <Button
            onClick={() => {
              onOpenChange(false)
              onShortcuts()
            }}
          >
            Keyboard shortcuts
          </Button>
        </div>
      </div>
    </Drawer>
  )
}

function StatusRow({
  state: { text, hint },
  children,
}: {
  state: DeviceStatus
  children?: ReactNode
}): JSX.Element {
  const Icon = hint === null ? CircleCheck : CircleAlert
  return (
    <li className="flex min-h-16 flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <Icon aria-hidden className={hint === null ? 'text-done' : 'text-late'} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-semibold">{text}</p>
        {hint !== null && <p className="text-base text-text-mute">{hint}</p>}
      </div>
      {children}
    </li>
  )
}
