/**
 * Browsers end a worker that had nothing to do for half a minute. While one that is running hands over, Chromium loads
 * the page late or, now and then, never.
 */
const quietMs = 60_000

/** A new version of a worker waits while its page is open. Lets it replace the one before once that is idle. */
export function replaceIdleWorker(registration: ServiceWorkerRegistration): void {
  setTimeout(() => registration.waiting?.postMessage('take-over'), quietMs)
}
