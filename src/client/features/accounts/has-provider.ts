/** Said by the page: only some installations have an identity provider. */
export const hasProvider = (): boolean => document.documentElement.dataset['provider'] === 'openid'
