/** Who takes the payments here, as the page itself says: known at once, and without a sign-in. */
export const paymentProvider = (): string | undefined => document.documentElement.dataset['payments']
