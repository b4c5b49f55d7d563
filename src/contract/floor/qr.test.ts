import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { smallPng } from '../../../test/support/reading/qr-reader.ts'
import { parse } from '../parse.ts'
import { NewQrCode, qrFileName, readableLink } from './qr.ts'

const posted = (qrCodeDataUrl: unknown) => parse(NewQrCode, { restaurantId: 'Blue Door', qrCodeDataUrl })

const png = (width: number, height: number) =>
  `data:image/png;base64,${PNG.sync.write(new PNG({ width, height })).toString('base64')}`

const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')
const head = Buffer.from(png(8, 8).split(',')[1] ?? '', 'base64')

function withSides(width: number, height: number): string {
  const bytes = Buffer.from(head)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return `data:image/png;base64,${base64(bytes)}`
}

describe('a posted QR code', () => {
  it.each([smallPng, png(300, 300), png(1024, 1024)])('can be any small PNG', (picture) => {
    expect(posted(picture).ok).toBe(true)
  })

  it.each([
    ['nothing', undefined],
    ['no text', 7],
    ['an empty text', ''],
    ['no data URL', 'https://elsewhere.example/code.png'],
    ['a script', 'javascript:alert(1)'],
    ['HTML', `data:text/html;base64,${base64('<script>alert(1)</script>')}`],
    ['an SVG', `data:image/svg+xml;base64,${base64('<svg onload="alert(1)"/>')}`],
    [
      'an SVG that calls itself a PNG',
      `data:image/png;base64,${base64('<svg onload="alert(1)"/>'.repeat(4))}`,
    ],
    ['a GIF', `data:image/png;base64,${base64(`GIF89a${'\0'.repeat(60)}`)}`],
    ['a PNG with another type', smallPng.replace('image/png', 'image/jpeg')],
    ['a PNG with more parameters', smallPng.replace('image/png', 'image/png;charset=utf-8')],
    ['a type in capitals', smallPng.replace('image/png', 'IMAGE/PNG')],
    ['no base64', 'data:image/png;base64,<img src=x onerror=alert(1)>'.padEnd(80, '!')],
    ['markup after the picture', `${smallPng}"><script>alert(1)</script>`],
    ['a line break in the picture', smallPng.replace('iVBORw0', 'iVBO\nRw0')],
    ['the signature alone', `data:image/png;base64,${base64(head.subarray(0, 8))}`],
    ['half a header', `data:image/png;base64,${base64(head.subarray(0, 20))}`],
    ['base64 of no length that there is', smallPng.slice(0, -1)],
    ['a PNG without a header', smallPng.replace('SUhEUg', 'SUhFUg')],
    ['a side of nothing', withSides(0, 300)],
    ['a side of 1025 pixels', withSides(300, 1025)],
    ['a bomb', withSides(0xffffffff, 0xffffffff)],
    ['more than 64 KiB', smallPng.padEnd(65_540, 'A')],
  ])('is refused if it is %s', (_, picture) => {
    expect(posted(picture)).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^(Please send the QR code as a PNG picture|The picture is too large)$/u,
      ),
    })
  })

  it('requires the restaurant', () => {
    expect(parse(NewQrCode, { restaurantId: ' ', qrCodeDataUrl: smallPng })).toMatchObject({
      message: 'Restaurant name not set',
    })
  })
})

describe('the downloaded file', () => {
  it.each([
    ['Blue Door', 'Blue Door-qr-code.png'],
    ['Café Zoë & Söhne + 50%', 'Café Zoë & Söhne + 50%-qr-code.png'],
    ['北京楼 🥟', '北京楼 🥟-qr-code.png'],
    ['AC/DC: "Bar" <1>|2\\3*?', 'AC-DC- -Bar- -1--2-3---qr-code.png'],
    ['../../etc', '..-..-etc-qr-code.png'],
    ['a\u0000b\nc\u007f', 'a-b-c--qr-code.png'],
  ])('for %j is named %j', (name, file) => {
    expect(qrFileName(name)).toBe(file)
  })

  it('has a name short enough for every file system', () => {
    expect(Buffer.byteLength(qrFileName('楼'.repeat(80)))).toBeLessThanOrEqual(255)
  })
})

describe('a link for people to read', () => {
  const link = (query: Record<string, string>) =>
    `https://tables.example.com/customer?${new URLSearchParams(query)}`

  it.each([
    [{ r: 'Blue Door', t: '7', k: '1.abc' }, 'tables.example.com/customer?r=Blue+Door&t=7'],
    [
      { r: 'Café & Söhne', t: 'Straße 3', k: '1.abc' },
      'tables.example.com/customer?r=Café+%26+Söhne&t=Straße+3',
    ],
    [{ r: '50% + 1 🥟' }, 'tables.example.com/customer?r=50%25+%2B+1+🥟'],
  ])('shows %j as %j', (query, words) => {
    expect(readableLink(link(query))).toBe(words)
    expect(Object.fromEntries(new URL(`https://${words}`).searchParams)).toEqual({ ...query, k: undefined })
  })

  it('includes the port if the installation has one', () => {
    expect(readableLink('http://localhost:3000/customer?r=a')).toBe('localhost:3000/customer?r=a')
  })
})
