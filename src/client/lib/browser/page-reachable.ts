/** A page that still says something must not be replaced by the browser's own error page. */
export const isPageReachable = (): Promise<boolean> =>
  fetch(location.href, { headers: { accept: 'text/html' } }).then(
    ({ ok }) => ok,
    () => false,
  )
