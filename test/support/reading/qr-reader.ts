import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PNG } from 'pngjs'
import { decodeQR } from 'qr/decode.js'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

/** One white pixel: what a browser may post instead of a code. */
export const smallPng =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4AWP4DwABAQEAiuJTfQAAAABJRU5ErkJggg=='

export type Pixels = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> }

/** By default it makes one attempt, for pictures of a camera that follow each other, which one code in many escapes. */
const thorough = { effort: Infinity, timeLimit: Infinity }

/** What two independent decoders read in a picture; they must agree. */
export async function readCode(image: Pixels): Promise<string> {
  await loadReader()
  const codes = await readBarcodes(imageData(image), { formats: ['QRCode'] })
  const [zxing, qr] = [codes.map(({ text }) => text).join(' and '), decodeQR(image, thorough)]
  if (zxing !== qr) throw new Error(`The decoders disagree: "${zxing}" and "${qr}"`)
  return qr
}

/** Every code in a picture, such as a sheet of cards. */
export async function readCodes(image: Pixels): Promise<string[]> {
  await loadReader()
  const options = { formats: ['QRCode' as const], maxNumberOfSymbols: 255, tryHarder: true }
  const codes = await readBarcodes({ ...image, colorSpace: 'srgb' }, options)
  return codes.map(({ text }) => text)
}

/** The error correction level of the code in a picture. */
export async function errorCorrectionLevel(image: Pixels): Promise<string | undefined> {
  await loadReader()
  const codes = await readBarcodes(imageData(image), { formats: ['QRCode'] })
  return codes[0]?.ecLevel
}

/** In the format of a browser's ImageData. */
const imageData = (image: Pixels): ImageData => ({ ...image, colorSpace: 'srgb' })

let load: Promise<unknown> | undefined

function loadReader(): Promise<unknown> {
  return (load ??= (async () => {
    const path = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'))
    const { buffer, byteOffset, byteLength } = await readFile(path)
    const wasmBinary = buffer.slice(byteOffset, byteOffset + byteLength)
    await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  })())
}

export function pixelsOfPng(dataUrl: string): Pixels {
  const { width, height, data } = PNG.sync.read(
    Buffer.from(dataUrl.replace('data:image/png;base64,', ''), 'base64'),
  )
  return { width, height, data: new Uint8ClampedArray(data) }
}

/** Draws an SVG that consists of paths of rectangles, at eight pixels per unit. */
export function pixelsOfSvg(svg: string): Pixels {
  const scale = 8
  const units = Number(/viewBox="0 0 (\d+) \1"/u.exec(svg)?.[1])
  const side = units * scale
  const data = new Uint8ClampedArray(side * side * 4).fill(0xff)
  for (const [, attributes = ''] of svg.matchAll(/<path ([^>]*)\/>/gu)) {
    const light = attributes.includes('fill="#fff"')
    const d = / ?d="([^"]*)"/u.exec(attributes)?.[1] ?? ''
    const rectangles = [...d.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\3z/gu)]
    if (rectangles.map(([whole]) => whole).join('') !== d) throw new Error('Unsupported path')
    for (const [x = 0, y = 0, width = 0, height = 0] of rectangles.map(([, ...numbers]) =>
      numbers.map(Number),
    )) {
      for (let row = y * scale; row < (y + height) * scale; row++) {
        for (let column = x * scale; column < (x + width) * scale; column++) {
          const at = 4 * (row * side + column)
          data.fill(light ? 0xff : 0, at, at + 3)
        }
      }
    }
  }
  return { width: side, height: side, data }
}
