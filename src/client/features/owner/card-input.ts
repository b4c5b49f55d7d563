/** As it is printed on the card: in groups of four. */
export const formatCardNumber = (text: string): string =>
  text
    .replace(/\D/gu, '')
    .slice(0, 19)
    .replace(/(\d{4})(?=\d)/gu, '$1 ')

/** 1234 as 12/34. */
export function formatExpiry(text: string): string {
  const [, month = '', year = ''] = /^(\d{0,2})\D*(\d{0,4})/u.exec(text) ?? []
  return year === '' ? month : `${month}/${year}`
}

/** What is wrong with the form's expiry, if anything. */
export function expiryError(text: string, now = new Date()): string | null {
  const [, month = '', year = ''] = /^(\d{1,2})\s*\/?\s*(\d{2}|\d{4})$/u.exec(text.trim()) ?? []
  if (month === '' || Number(month) < 1 || Number(month) > 12) return 'Please enter the expiry as MM/YY'
  const fullYear = Number(year) + (year.length === 2 ? 2000 : 0)
  // A card is good until the end of its month.
  return new Date(fullYear, Number(month)) > now ? null : 'This card has expired'
}

export const cvcError = (text: string): string | null =>
  /^\d{3,4}$/u.test(text.trim()) ? null : 'Please enter 3 digits'
