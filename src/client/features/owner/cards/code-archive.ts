import { downloadZip } from 'client-zip'
import { fileNameOf, type TableCard } from '#contract/floor/qr.ts'
import { t } from '../../../lib/texts/translate.ts'
import { readQrSvg } from './qr-svg.ts'

type Draw = (svg: string) => Promise<Blob>

/** One ZIP with a PNG and an SVG for every table, named by it. */
export const zipCodes = (cards: readonly TableCard[], draw: Draw = drawPng): Promise<Blob> =>
  downloadZip(listFiles(cards, draw)).blob()

async function* listFiles(cards: readonly TableCard[], draw: Draw) {
  const taken = new Set<string>()
  for (const { tableNumber, svg } of cards) {
    const name = freeName(fileNameOf(t('Table {table}', { table: tableNumber })), taken)
    yield { name: `${name}.svg`, input: svg }
    yield { name: `${name}.png`, input: await draw(svg) }
  }
}

/** Two tables may differ only in what file names cannot hold, or in accents that some file systems fold. */
function freeName(wanted: string, taken: Set<string>): string {
  const keyOf = (name: string): string => name.normalize('NFKD').toLowerCase()
  let name = wanted
  for (let count = 2; taken.has(keyOf(name)); count += 1) name = `${wanted} (${count})`
  taken.add(keyOf(name))
  return name
}

/** For print in the size of a hand. */
const pixelsPerModule = 24

async function drawPng(svg: string): Promise<Blob> {
  const code = readQrSvg(svg)
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!code || !context) throw new Error('This browser cannot draw')
  canvas.width = canvas.height = code.size * pixelsPerModule
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(pixelsPerModule, pixelsPerModule)
  context.fillStyle = '#000'
  for (const [, x, y, length] of code.dark.matchAll(/M(\d+) (\d+)h(\d+)/gu))
    context.fillRect(Number(x), Number(y), Number(length), 1)
  const png = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve)
  })
  if (!png) throw new Error('This browser cannot draw')
  return png
}
