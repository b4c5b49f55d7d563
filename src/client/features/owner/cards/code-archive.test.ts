import { expect, it } from 'vitest'
import { readZip } from '../../../../../test/support/reading/zip-reader.ts'
import { zipCodes } from './code-archive.ts'

const cardOf = (tableNumber: string) => ({
  id: `id of ${tableNumber}`,
  tableNumber,
  link: 'https://tableside.example/customer',
  shortLink: 'https://tableside.example/t/K7QF-M2XW',
  svg: `<svg>${tableNumber}</svg>`,
})

const draw = async (svg: string): Promise<Blob> => new Blob([`PNG of ${svg}`])

async function namesOf(tableNumbers: string[]): Promise<string[]> {
  const zip = await zipCodes(tableNumbers.map(cardOf), draw)
  return [...readZip(Buffer.from(await zip.arrayBuffer())).keys()]
}

it('holds an SVG and a PNG for every table', async () => {
  const zip = await zipCodes([cardOf('7'), cardOf('Café 🌿')], draw)
  const files = readZip(Buffer.from(await zip.arrayBuffer()))
  expect([...files].map(([name, content]) => [name, content.toString()])).toEqual([
    ['Table 7.svg', '<svg>7</svg>'],
    ['Table 7.png', 'PNG of <svg>7</svg>'],
    ['Table Café 🌿.svg', '<svg>Café 🌿</svg>'],
    ['Table Café 🌿.png', 'PNG of <svg>Café 🌿</svg>'],
  ])
})

it('names every file so that every system can unpack it, and none twice', async () => {
  const names = await namesOf(['../../etc', 'A/B', 'A-B', 'a:b', 'CON'])
  expect(names.filter((name) => name.endsWith('.svg'))).toEqual([
    'Table ..-..-etc.svg',
    'Table A-B.svg',
    'Table A-B (2).svg',
    'Table a-b (3).svg',
    'Table CON.svg',
  ])
  expect(new Set(names).size).toBe(10)
})
