import { isAndroid, isAppleMobile } from '../../../lib/browser/platform.ts'
import { t } from '../../../lib/texts/translate.ts'

/** What to do here when the test sound was not heard. */
export function soundFix(): string {
  if (isAppleMobile())
    return navigator.audioSession
      ? t(
          'Turn the volume up with the buttons at the side while it plays, and check that no headphones are connected.',
        )
      : t(
          'Turn the volume up and silent mode off: on an iPhone it is the switch at its side. Check that no headphones are connected.',
        )
  if (isAndroid())
    return t(
      'Turn the volume up while it plays: it is the volume of media. Check that no headphones or speaker are connected.',
    )
  return t('Turn the volume up, and check which speaker the computer uses and that this tab is not muted.')
}

/** What to do here when the test alert was not seen. */
export function alertFix(): string {
  if (isAppleMobile())
    return t('Settings › Notifications › Tableside: allow them, on the lock screen too. Turn Focus off.')
  if (isAndroid())
    return t(
      'Settings › Notifications: allow those of this browser. Turn Do Not Disturb off, and keep battery saving from stopping the browser.',
    )
  return t("Allow this browser's notifications in the computer's settings, and turn Do Not Disturb off.")
}

/** What this device cannot do, whatever is set: so short that it fits one line of a phone. */
export function deviceLimits(): string {
  const hasAlerts = 'Notification' in globalThis
  const hasAlertButtons = !hasAlerts || 'actions' in Notification.prototype
  const callsAsleep = isAppleMobile() && hasAlerts
  const asleep = isAndroid()
    ? t('Asleep: sounds while “Listening for requests” shows')
    : callsAsleep
      ? t('Asleep: only alerts, without buttons')
      : t('Asleep: no sound')
  const limits = [
    [true, asleep],
    [isAppleMobile() && !navigator.audioSession, t('silent switch mutes')],
    [!('wakeLock' in navigator), t('screen goes dark')],
    [navigator.maxTouchPoints > 0 && !('vibrate' in navigator), t('no vibration')],
    [!callsAsleep && !hasAlertButtons, t('alerts without buttons')],
  ] as const
  return limits.flatMap(([applies, text]) => (applies ? [text] : [])).join(' · ')
}
