/**
 * Calls back when the device, its network or the page wakes up while the page is visible; with `offline` also when the
 * network goes away. Returns a function that stops it.
 */
export function onWake(listener: () => void, { offline = false } = {}): () => void {
  // Tests and load generators hold a channel outside a browser.
  if (typeof window === 'undefined') return () => undefined
  const stopping = new AbortController()
  const options = { signal: stopping.signal }
  const wake = (event: Event): void => {
    const isFirstLoad = event instanceof PageTransitionEvent && !event.persisted
    if (!document.hidden && !isFirstLoad) listener()
  }
  window.addEventListener('online', wake, options)
  if (offline) window.addEventListener('offline', wake, options)
  window.addEventListener('pageshow', wake, options)
  document.addEventListener('visibilitychange', wake, options)
  return () => stopping.abort()
}
