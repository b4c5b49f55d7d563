/** The server writes it into the page, so it is known at once and without a sign-in. */
export const paymentProvider = (): string | undefined => document.documentElement.dataset['payments']
