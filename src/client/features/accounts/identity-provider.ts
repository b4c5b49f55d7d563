/** Said by the page: only some installations have an identity provider. */
export const hasIdentityProvider = (): boolean => document.documentElement.dataset['provider'] === 'openid'
