import type { Connection } from '../../api/live.ts'
import type { Push } from '../../api/push.ts'
import type { Awake } from '../../lib/wake-lock.ts'
import type { Sound } from './chime.ts'

/** How something stands at this device, and when it is not as it should be, the one line that helps. */
export type State = { says: string; fix: string | null }

export const soundStates: Record<Sound, State> = {
  on: { says: 'Sound on', fix: null },
  off: { says: 'Sound off', fix: 'Turn it on to hear new requests.' },
  locked: { says: 'Sound waits for a tap', fix: 'The browser stays silent until you tap this page once.' },
  unavailable: { says: 'No sound here', fix: 'This browser plays no sound. Keep the screen in view.' },
}

export function pushState({ state }: Push): State {
  switch (state) {
    case 'on':
      return { says: 'Alerts on this phone on', fix: null }
    case 'off':
      return { says: 'Alerts on this phone off', fix: 'Turn them on to be called while the phone sleeps.' }
    case 'denied':
      return {
        says: 'Alerts on this phone blocked',
        fix: "Allow notifications for this page in the browser's settings.",
      }
    case 'unsupported':
      return {
        says: 'Alerts on this phone off',
        fix: isApple()
          ? 'Add this page to your Home Screen to get alerts while the phone sleeps.'
          : 'This browser gives no alerts while the phone sleeps. Keep this page open.',
      }
  }
}

export function connectionState({ state }: Connection): State {
  return state === 'live'
    ? { says: 'Live', fix: null }
    : {
        says: 'Reconnecting…',
        fix: 'Check the Wi-Fi. What you tap is kept, and sent when it is back.',
      }
}

export const awakeStates: Record<Awake, State> = {
  on: { says: 'Screen stays on', fix: null },
  off: {
    says: 'Screen may go dark',
    fix: 'It stays on from the start of your shift, while this page is open.',
  },
  refused: {
    says: 'Screen may go dark',
    fix: 'The browser does not keep it on now. Charge the battery, then tap this page.',
  },
  unavailable: { says: 'Screen may go dark', fix: "Set a longer screen time-out in the device's settings." },
}

export const unheardHelp =
  'Turn the volume up and silent mode off: on an iPhone it is the switch at its side.'

/** An iPhone or iPad, also one that says it is a Mac. */
const isApple = (): boolean =>
  /iPhone|iPad/u.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
