// What the server writes into the page about the installation: known at once and without a sign-in.

export const paymentProvider = (): string | undefined => document.documentElement.dataset['payments']

export const hasIdentityProvider = (): boolean => document.documentElement.dataset['provider'] === 'openid'
