/**
 * The path to return to after a login, if the address names one of our own pages: never another site, never an
 * action such as the logout.
 */
export function parseReturnPath(search: string, origin: string): string | null {
  const wanted = new URLSearchParams(search).get('returnTo')
  if (!wanted || !URL.canParse(wanted, origin)) return null
  const url = new URL(wanted, origin)
  if (url.origin !== origin || /^\/(\/|api(\/|$))/.test(url.pathname)) return null
  return url.pathname + url.search + url.hash
}

/** A login that leads to the path afterwards. */
export const withReturnPath = (login: string, returnTo: string | null): string =>
  returnTo === null ? login : `${login}?${new URLSearchParams({ returnTo })}`

/** The address of the sign-in at the identity provider. `separate` creates a new account even if one could be linked. */
export function providerLoginPath(returnTo: string | null, separate = false): string {
  const query = new URLSearchParams({
    ...(separate && { account: 'new' }),
    ...(returnTo !== null && { returnTo }),
  })
  return query.size > 0 ? `/api/login?${query}` : '/api/login'
}
