import { isPageReachable, isReloaded } from '../../../lib/browser/page-reachable.ts'
import type { Outbox } from './outbox.ts'

/** Some networks are away for a moment only. */
const soonMs = 2_000
/** As often as where scripts are switched off. */
const renewalMs = 20_000

/**
 * Where the app's script does not come, because of the network or of what blocks it, nothing renews the page: it is
 * loaded again soon, which may bring the script, and from then on as where scripts are switched off.
 */
export function watchForMissingApp(outbox: Outbox, onMissing: () => void): void {
  const isIdle = (): boolean =>
    // A form that was posted is not to be posted again, and a guest who is writing not to be disturbed.
    location.search !== '' &&
    !document.hidden &&
    outbox.waiting().length === 0 &&
    !document.querySelector('details[open]') &&
    [...document.querySelectorAll('input')].every(({ value, defaultValue }) => value === defaultValue)
  const renew = async (): Promise<void> => {
    if (isIdle() && (await isPageReachable()) && isIdle()) location.reload()
  }
  const recover = ({ target }: Event): void => {
    // The first one is the app, which can do without the others.
    if (target !== document.querySelector('script[type=module]')) return
    onMissing()
    if (!isReloaded()) setTimeout(() => document.querySelector('.sent') ?? void renew(), soonMs)
    setInterval(() => void renew(), renewalMs)
  }
  // An element's does not bubble.
  addEventListener('error', recover, true)
}
