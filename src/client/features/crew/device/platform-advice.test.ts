// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { alertFix, deviceLimits, soundFix } from './platform-advice.ts'

/** What a browser says of itself and can do. */
type Platform = {
  userAgent: string
  maxTouchPoints: number
  can: ('vibrate' | 'wakeLock' | 'audioSession' | 'actions')[]
}

const platforms = {
  iphone: { userAgent: 'iPhone OS 18_5 Safari', maxTouchPoints: 5, can: ['wakeLock', 'audioSession'] },
  'old iphone': { userAgent: 'iPhone OS 16_2 Safari', maxTouchPoints: 5, can: [] },
  ipad: { userAgent: 'Macintosh Safari', maxTouchPoints: 5, can: ['wakeLock', 'audioSession'] },
  android: { userAgent: 'Android 15 Chrome', maxTouchPoints: 5, can: ['vibrate', 'wakeLock', 'actions'] },
  'android firefox': { userAgent: 'Android 15 Firefox', maxTouchPoints: 5, can: ['wakeLock'] },
  computer: { userAgent: 'Windows NT 10.0 Chrome', maxTouchPoints: 0, can: ['wakeLock', 'actions'] },
} satisfies Record<string, Platform>

function pretend({ userAgent, maxTouchPoints, can }: Platform): void {
  const parts = can.flatMap((part) => (part === 'actions' ? [] : [[part, {}]]))
  vi.stubGlobal('navigator', { userAgent, maxTouchPoints, ...Object.fromEntries(parts) })
  vi.stubGlobal(
    'Notification',
    class {
      readonly title = ''
    },
  )
  if (can.includes('actions')) Object.assign(Notification.prototype, { actions: [] })
}

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['iphone', 'with the buttons at the side while it plays', 'Tableside: allow them, on the lock screen too'],
  ['old iphone', 'silent mode off', 'Tableside: allow them, on the lock screen too'],
  ['ipad', 'with the buttons at the side while it plays', 'Tableside: allow them, on the lock screen too'],
  ['android', 'it is the volume of media', 'keep battery saving from stopping the browser'],
  ['computer', 'that this tab is not muted', "in the computer's settings"],
] as const)('says on %s how to hear the sound and see the alert', (name, sound, alert) => {
  pretend(platforms[name])
  expect(soundFix()).toContain(sound)
  expect(alertFix()).toContain(alert)
})

const asleep = 'Asleep: only alerts, without buttons'
const listening = 'Asleep: sounds while “Listening for requests” shows'

it.each([
  ['iphone', [asleep, 'no vibration']],
  ['old iphone', [asleep, 'silent switch mutes', 'screen goes dark', 'no vibration']],
  ['android', [listening]],
  ['android firefox', [listening, 'no vibration', 'alerts without buttons']],
  ['computer', ['Asleep: no sound']],
] as const)('tells in one line what %s cannot do', (name, limits) => {
  pretend(platforms[name])
  expect(deviceLimits()).toBe(limits.join(' · '))
})

it('promises no alerts on an iPhone where there are none: in a browser’s tab', () => {
  pretend(platforms.iphone)
  vi.stubGlobal('Notification', undefined)
  Reflect.deleteProperty(globalThis, 'Notification')
  expect(deviceLimits()).toBe('Asleep: no sound · no vibration')
})
