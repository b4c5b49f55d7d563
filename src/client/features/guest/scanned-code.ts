import * as v from 'valibot'

type ScannedCode = { restaurantId: string; tableNumber: string; k: string | null }

export const invalidCodeNotice = {
  title: 'Invalid QR Code',
  text: "This QR code doesn't contain valid restaurant information. Please try another code or enter your table number manually.",
}

const nonEmptyText = v.pipe(v.string(), v.trim(), v.minLength(1))
const CodePayload = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    restaurantId: nonEmptyText,
    tableNumber: v.pipe(v.union([nonEmptyText, v.number()]), v.transform(String)),
  }),
)

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
  const payload = v.safeParse(CodePayload, text)
  return payload.success ? { ...payload.output, k: null } : null
}
