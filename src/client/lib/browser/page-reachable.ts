/** A network that is broken does not refuse, it hangs. */
const patienceMs = 5_000

/** A page that still says something must not be replaced by the browser's own error page. */
export const isPageReachable = (): Promise<boolean> =>
  fetch(location.href, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(patienceMs) }).then(
    ({ ok }) => ok,
    () => false,
  )

export function isReloaded(): boolean {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload'
}
