import * as v from 'valibot'
import { textField } from '../primitives.ts'

const pngDataUrl = 'data:image/png;base64,'
const notPngMessage = 'Please send the QR code as a PNG picture'

/** 64 KiB of text; a real code of 300 pixels needs a tenth of that. */
const maxImageLength = 65_536

/**
 * The QR code that a browser posts, which must look like a small PNG. The server does not store it but draws the code
 * from its own link.
 */
const PostedQrImage = v.pipe(
  v.string(notPngMessage),
  v.maxLength(maxImageLength, 'The picture is too large'),
  v.startsWith(pngDataUrl, notPngMessage),
  v.transform((url) => url.slice(pngDataUrl.length)),
  v.regex(/^[A-Za-z0-9+/]{44,}={0,2}$/u, notPngMessage),
  v.check((base64) => base64.length % 4 === 0, notPngMessage),
  v.check(isSmallPng, notPngMessage),
)

const maxSidePixels = 1_024
const pngHeader = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'

/** Every PNG begins with its signature and a header of 13 bytes: width, height and colour format. */
function isSmallPng(base64: string): boolean {
  const head = atob(base64.slice(0, 32))
  if (!head.startsWith(pngHeader)) return false
  const sides = new DataView(Uint8Array.from(head.slice(pngHeader.length), (c) => c.charCodeAt(0)).buffer)
  return [sides.getUint32(0), sides.getUint32(4)].every((side) => side >= 1 && side <= maxSidePixels)
}

export const NewQrCode = v.object({
  restaurantId: textField('Restaurant name not set', 200),
  qrCodeDataUrl: PostedQrImage,
})
export type NewQrCode = v.InferOutput<typeof NewQrCode>

/** The restaurant's code: a picture of 300 × 300 pixels, and the link in it. */
export const QrCode = v.object({
  restaurantId: v.string(),
  qrCodeDataUrl: v.string(),
  link: v.string(),
})
export type QrCode = v.InferOutput<typeof QrCode>

export const TableCard = v.object({
  tableNumber: v.string(),
  /** The table's. */
  id: v.string(),
  link: v.string(),
  /** Leads where `link` does, for guests who type it. */
  shortLink: v.string(),
  svg: v.string(),
})
export type TableCard = v.InferOutput<typeof TableCard>

/** In natural order. */
export const QrSheet = v.object({
  cards: v.array(TableCard),
  /** Of the restaurant's name and its former ones, by each of which its codes are found: how `nameKey` compares them. */
  nameKeys: v.optional(v.array(v.string())),
})
export type QrSheet = v.InferOutput<typeof QrSheet>

/** Characters that some file systems refuse become '-'. */
export const fileNameOf = (text: string): string => text.replace(/[\p{Cc}<>:"/\\|?*]/gu, '-')

/** The file name of the restaurant's downloaded code. */
export const qrFileName = (restaurantName: string): string => `${fileNameOf(restaurantName)}-qr-code.png`

/** A link for people to read: without scheme and proof, and with letters of all languages unencoded. */
export function readableLink(link: string): string {
  const { host, pathname, searchParams } = new URL(link)
  searchParams.delete('k')
  const query = searchParams.toString().replace(/(?:%[89A-F][0-9A-F])+/gu, decodeURIComponent)
  return `${host}${pathname}${query && `?${query}`}`
}
