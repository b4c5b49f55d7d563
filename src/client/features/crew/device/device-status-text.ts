import type { Connection } from '../../../api/live/live-channel.ts'
import type { PushState } from '../../../api/push.ts'
import { isAppleMobile } from '../../../lib/browser/platform.ts'
import type { WakeLockState } from '../../../lib/browser/use-wake-lock.ts'
import type { SoundState } from './chime.ts'

/** `hint` tells how to fix a problem; null when there is none. */
export type DeviceStatus = { text: string; hint: string | null }

export const soundStatuses: Record<SoundState, DeviceStatus> = {
  on: { text: 'Sound on', hint: null },
  off: { text: 'Sound off', hint: 'Turn it on to hear new requests.' },
  locked: { text: 'Sound waits for a tap', hint: 'The browser stays silent until you tap this page once.' },
  unavailable: { text: 'No sound here', hint: 'This browser plays no sound. Keep the screen in view.' },
}

export function pushStatus({ state }: PushState): DeviceStatus {
  switch (state) {
    case 'on':
      return { text: 'Alerts on this phone on', hint: null }
    case 'off':
      return { text: 'Alerts on this phone off', hint: 'Turn them on to be called while the phone sleeps.' }
    case 'denied':
      return {
        text: 'Alerts on this phone blocked',
        hint: "Allow notifications for this page in the browser's settings.",
      }
    case 'unsupported':
      return {
        text: 'Alerts on this phone off',
        hint: isAppleMobile()
          ? 'Add this page to your Home Screen to get alerts while the phone sleeps.'
          : 'This browser gives no alerts while the phone sleeps. Keep this page open.',
      }
  }
}

export function connectionStatus({ state }: Connection): DeviceStatus {
  return state === 'live'
    ? { text: 'Live', hint: null }
    : {
        text: 'Reconnecting…',
        hint: 'Check the Wi-Fi. What you tap is kept, and sent when it is back.',
      }
}

export const wakeLockStatuses: Record<WakeLockState, DeviceStatus> = {
  on: { text: 'Screen stays on', hint: null },
  off: {
    text: 'Screen may go dark',
    hint: 'It stays on from the start of your shift, while this page is open.',
  },
  refused: {
    text: 'Screen may go dark',
    hint: 'The browser does not keep it on now. Charge the battery, then tap this page.',
  },
  unavailable: { text: 'Screen may go dark', hint: "Set a longer screen time-out in the device's settings." },
}
