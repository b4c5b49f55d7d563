/** As people type numbers; NaN for anything else, such as 1e2 or 0x10. Many languages write a decimal comma. */
export const parseNumber = (typed: string): number =>
  /^-?(?:\d+(?:[.,]\d*)?|[.,]\d+)$/u.test(typed.trim()) ? Number(typed.trim().replace(',', '.')) : Number.NaN

/** A whole number. */
export const parseCount = (typed: string): number =>
  /^\d+$/u.test(typed.trim()) ? Number(typed) : Number.NaN
