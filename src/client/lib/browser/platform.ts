/** Including iPads that claim to be a Mac. */
export const isAppleMobile = (): boolean =>
  /iPhone|iPad/u.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

export const isAndroid = (): boolean => navigator.userAgent.includes('Android')
