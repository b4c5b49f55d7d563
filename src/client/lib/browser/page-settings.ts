// What the server writes into the page about the installation: known at once and without a sign-in.

export const paymentProvider = (): string | undefined => document.documentElement.dataset['payments']

export const hasIdentityProvider = (): boolean => document.documentElement.dataset['provider'] === 'openid'

export const sendsMail = (): boolean => document.documentElement.dataset['mail'] === 'on'

/** The tags of those in which guests can read their page. */
export const guestLanguages = (): string[] =>
  (document.documentElement.dataset['guestLanguages'] ?? 'en').split(' ')

export const offersDemo = (): boolean => document.documentElement.dataset['demo'] === 'on'

/**
 * Who sent the page's request: `none` if nobody was signed in, `staff` if somebody who is not the owner. Browsers show a
 * page of their history as it was, and the service worker one that it keeps: those say nothing.
 */
export function sessionOfPage(): string | undefined {
  if (isKeptPage()) return undefined
  const [navigation] = performance.getEntriesByType('navigation')
  const isOfHistory = navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward'
  return isOfHistory ? undefined : document.documentElement.dataset['session']
}

/** The service worker opened the page from what it keeps, because the server did not answer. */
export const isKeptPage = (): boolean => 'kept' in document.documentElement.dataset
