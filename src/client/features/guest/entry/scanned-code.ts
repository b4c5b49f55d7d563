type ScannedCode = { restaurantId: string; tableNumber: string; k: string | null }

export const invalidCodeNotice = {
  title: 'Invalid QR Code',
  text: "This QR code doesn't contain valid restaurant information. Please try another code or enter your table number manually.",
}

/** From a link with `r` and perhaps `t`, or JSON with both names; null when it names no restaurant. */
export function parseScannedCode(content: string): ScannedCode | null {
  const text = content.trim()
  if (URL.canParse(text)) {
    const { searchParams } = new URL(text)
    const restaurantId = searchParams.get('r')?.trim()
    if (!restaurantId) return null
    return {
      restaurantId,
      tableNumber: searchParams.get('t')?.trim() ?? '',
      k: searchParams.get('k'),
    }
  }
  const { restaurantId, tableNumber } = parsePayload(text)
  const name = typeof restaurantId === 'string' ? restaurantId.trim() : ''
  const number = typeof tableNumber === 'number' ? String(tableNumber) : tableNumber
  if (name === '' || typeof number !== 'string' || number.trim() === '') return null
  return { restaurantId: name, tableNumber: number.trim(), k: null }
}

function parsePayload(text: string): { restaurantId?: unknown; tableNumber?: unknown } {
  try {
    const payload: unknown = JSON.parse(text)
    return typeof payload === 'object' && payload !== null ? payload : {}
  } catch {
    return {}
  }
}
