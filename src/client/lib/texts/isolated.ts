/** In a text without elements, what may run in another direction than the rest. */
export const isolated = (text: string): string => `\u2068${text}\u2069`
