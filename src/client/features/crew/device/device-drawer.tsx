import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import { type JSX, type ReactNode, useId, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../../api/live/use-live.ts'
import { getStored, removeStored, setStored } from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { LanguageSelect } from '../../../ui/page/language-select.tsx'
import { useOfferedCommandMenu } from '../../../ui/page/offered-command-menu.ts'
import type { Shift } from '../shift/use-shift.ts'
import {
  wakeLockStatuses,
  connectionStatus,
  pushStatus,
  soundStatuses,
  type DeviceStatus,
} from './device-status-text.ts'
import { knownVoice, onVoicesChange, say } from './spoken-alerts.ts'

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
  const openCommandMenu = useOfferedCommandMenu()
  return (
    <Drawer title={t('This screen')} open={open} onOpenChange={onOpenChange}>
      <ul className="flex flex-col divide-y divide-rule">
        <StatusRow state={soundStatuses[sound]}>
          {sound === 'on' && <Button onClick={() => chime.play('new')}>{t('Test sound')}</Button>}
          {sound === 'off' && <Button onClick={() => void chime.start()}>{t('Turn sound on')}</Button>}
        </StatusRow>
        <SpokenAlertsRow />
        <StatusRow state={pushStatus(push)}>
          {push.state === 'off' && <Button onClick={() => switchPush(true)}>{t('Turn alerts on')}</Button>}
          {push.state === 'on' && <Button onClick={() => switchPush(false)}>{t('Turn alerts off')}</Button>}
        </StatusRow>
        <StatusRow state={connectionStatus(connection)} />
        <StatusRow state={wakeLockStatuses[wakeLock]} />
      </ul>
      <LanguageSelect />
      <div className="flex flex-col gap-3">
        {!flow.started && (
          <Button
            variant="primary"
            onClick={() => {
              onOpenChange(false)
              start()
            }}
          >
            {t('Start shift')}
          </Button>
        )}
        {openCommandMenu && (
          <Button
            onClick={() => {
              onOpenChange(false)
              openCommandMenu()
            }}
          >
            {t('Find anything')}
          </Button>
        )}
        <Button onClick={() => navigate('/waiter?display')}>{t('Wall display')}</Button>
        <div className="grid max-lg:hidden">
          <Button
            onClick={() => {
              onOpenChange(false)
              onShortcuts()
            }}
          >
            {t('Keyboard shortcuts')}
          </Button>
        </div>
      </div>
    </Drawer>
  )
}

/** Kept for this device, whoever uses it. */
function SpokenAlertsRow(): JSX.Element {
  const voice = useSyncExternalStore(onVoicesChange, knownVoice)
  const isPossible = voice === 'own'
  const [isOn, setOn] = useState(() => getStored('spoken-alerts') !== null)
  const hint = useId()
  const sample = t('Table 7, check')
  function switchTo(on: boolean): void {
    setOn(on)
    if (!on) return removeStored('spoken-alerts')
    setStored('spoken-alerts', 'on')
    say(sample)
  }
  return (
    <li className="py-2">
      <Checkbox
        label={<span className="font-semibold">{t('Spoken alerts')}</span>}
        checked={isOn && isPossible}
        disabled={!isPossible}
        aria-describedby={hint}
        onChange={({ target }) => switchTo(target.checked)}
      />
      <p id={hint} className="ps-9 text-base text-text-mute">
        {voice === 'own' && t('Says “{sample}” after the sound, in the voice of this device.', { sample })}
        {voice === 'foreign' && t('No voice of this device speaks this language.')}
        {voice === 'none' && t('This device has no voice.')}
      </p>
    </li>
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
    <li className="flex min-h-16 flex-wrap items-center gap-x-3 gap-y-2 py-3">
      {/* Beside the first line. */}
      <Icon aria-hidden className={hint === null ? 'text-done' : 'self-start text-late'} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-semibold">{t(text)}</p>
        {hint !== null && <p className="text-base text-text-mute">{t(hint)}</p>}
      </div>
      {children}
    </li>
  )
}
