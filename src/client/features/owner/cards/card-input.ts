/** Groups of four digits, as printed on the card. */
export const formatCardNumber = (text: string): string =>
  text
    .replace(/\D/gu, '')
    .slice(0, 19)
    .replace(/(\d{4})(?=\d)/gu, '$1 ')

/** Formats 1234 as 12/34. */
export function formatExpiry(text: string): string {
  const [, month = '', year = ''] = /^(\d{0,2})\D*(\d{0,4})/u.exec(text) ?? []
  return year === '' ? month : `${month}/${year}`
}

/** The error of an expiry as typed; null if it is valid. */
export function expiryError(text: string, now = new Date()): string | null {
  if (text.trim() === '') return 'Please enter the expiry date'
  const [, month = '', year = ''] = /^(\d{1,2})\s*\/?\s*(\d{2}|\d{4})$/u.exec(text.trim()) ?? []
  if (month === '' || Number(month) < 1 || Number(month) > 12) return 'Please enter the expiry as MM/YY'
  const fullYear = Number(year) + (year.length === 2 ? 2000 : 0)
  // A card is valid until the end of its month.
  return new Date(fullYear, Number(month)) > now ? null : 'This card has expired'
}

/** An expiry date at least a year ahead. */
export const futureExpiry = (now = new Date()): string => `12/${now.getFullYear() + 1}`

export function cvcError(text: string): string | null {
  if (text.trim() === '') return 'Please enter the CVC'
  return /^\d{3,4}$/u.test(text.trim()) ? null : 'Please enter 3 digits'
}
