import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import {
  errorCorrectionLevel,
  pixelsOfPng,
  pixelsOfSvg,
  readCode,
  smallPng,
} from '../../../../test/support/reading/qr-reader.ts'

const app = setUpApp({ billing: false })

const generate = (owner: TestBrowser, name: string) =>
  owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })

const linkIn = async (picture: string) => new URL(await readCode(pixelsOfPng(picture)))

/** A guest's phone opens the link and taps, like the page. */
async function askThrough(
  link: URL,
  tableNumber = link.searchParams.get('t') ?? '',
): Promise<ServiceRequest> {
  const guest = app.browser()
  const page = await guest.fetch(link.pathname + link.search, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  const { r, k } = Object.fromEntries(link.searchParams)
  const { request } = await guest.ok(api.requests.send, {
    body: { restaurantId: r, tableNumber, serviceType: 'check', k },
  })
  return request
}

const spellings = [
  'The Blue Door',
  'Söhne & Töchter',
  'Café 50% + more',
  '北京楼 🥟',
  'AC/DC? #1 = "Bar"; <b>\\',
  "Mum's; r=other&t=1",
  '100%25 %41',
  `${'楼'.repeat(79)}!`,
  `${'🌶'.repeat(79)}!`,
  `${'नि'.repeat(79)}!`,
]

describe('the QR code of a restaurant', () => {
  it('does not exist before it is generated', async () => {
    const { owner } = await app.restaurant()
    expect(await owner.call(api.qr.mine, {})).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: 'No QR code yet' },
    })
  })

  it('is a picture of 300 pixels at level M that leads to the restaurant', async () => {
    const { owner, name } = await app.restaurant({ tables: ['1', '2'] })
    const generated = await owner.call(api.qr.generate, {
      body: { restaurantId: name, qrCodeDataUrl: smallPng },
    })
    expect(generated).toMatchObject({ status: 201, body: { restaurantId: name } })
    const { qrCodeDataUrl, link } = generated.body
    const pixels = pixelsOfPng(qrCodeDataUrl)
    expect([pixels.width, pixels.height]).toEqual([300, 300])
    expect(await errorCorrectionLevel(pixels)).toBe('M')
    expect(await readCode(pixels)).toBe(link)
    const url = new URL(link)
    expect(link.startsWith(`${app.ctx.settings.publicUrl}/customer?`)).toBe(true)
    expect([...url.searchParams.keys()]).toEqual(['r', 'k'])
    expect(url.searchParams.get('r')).toBe(name)
    expect(await owner.ok(api.qr.mine, {})).toEqual(generated.body)
    expect(await askThrough(url, '2')).toMatchObject({ tableNumber: '2', verified: true })
  })

  it('is drawn by the server, whatever picture was posted', async () => {
    const [own, rival] = [await app.restaurant(), await app.restaurant()]
    const { qrCodeDataUrl: foreign } = await generate(rival.owner, rival.name)
    const generated = await own.owner.ok(api.qr.generate, {
      body: { restaurantId: own.name, qrCodeDataUrl: foreign },
    })
    expect((await linkIn(generated.qrCodeDataUrl)).searchParams.get('r')).toBe(own.name)
    const stored = await app.ctx.db.reader.selectFrom('qrCode').selectAll().execute()
    expect(stored.map(({ png }) => png)).not.toContain(smallPng)
  })

  it('stays the same when it is generated again', async () => {
    const { owner, name } = await app.restaurant()
    const generated = await generate(owner, name)
    expect(await Promise.all([generate(owner, name), generate(owner, name.toUpperCase())])).toEqual([
      generated,
      generated,
    ])
    expect(await owner.ok(api.qr.mine, {})).toEqual(generated)
  })

  it.each(spellings)('contains the name %s unchanged', async (name) => {
    const { owner } = await app.restaurant({ name, tables: ['Patio 3 & 50% + 🌿', '1'] })
    const url = await linkIn((await generate(owner, name)).qrCodeDataUrl)
    expect(url.searchParams.get('r')).toBe(name)
    expect(await askThrough(url, '1')).toMatchObject({ verified: true })
    const { cards } = await owner.ok(api.qr.sheet, {})
    const card = new URL(await readCode(pixelsOfSvg(cards[1]?.svg ?? '')))
    expect(Object.fromEntries(card.searchParams)).toMatchObject({ r: name, t: 'Patio 3 & 50% + 🌿' })
    expect(await askThrough(card)).toMatchObject({ tableNumber: 'Patio 3 & 50% + 🌿', verified: true })
  })

  it('is unverified after Regenerate, and so are the table cards', async () => {
    const { owner, name } = await app.restaurant({ tables: ['1', '2', '3', '4'] })
    const before = await linkIn((await generate(owner, name)).qrCodeDataUrl)
    const { cards } = await owner.ok(api.qr.sheet, {})
    const oldCard = new URL(cards[1]?.link ?? '')
    expect(await askThrough(before, '1')).toMatchObject({ verified: true })

    expect((await owner.call(api.qr.remove, {})).status).toBe(204)
    expect((await owner.call(api.qr.mine, {})).status).toBe(404)
    const after = await linkIn((await generate(owner, name)).qrCodeDataUrl)

    expect(after.href).not.toBe(before.href)
    expect(await askThrough(before, '3')).toMatchObject({ tableNumber: '3', verified: false })
    expect(await askThrough(oldCard)).toMatchObject({ tableNumber: '2', verified: false })
    expect(await askThrough(after, '4')).toMatchObject({ verified: true })
  })

  it('is deleted once, however often that is asked at the same time', async () => {
    const { owner, name } = await app.restaurant()
    await generate(owner, name)
    const answers = await Promise.all(Array.from({ length: 10 }, () => owner.call(api.qr.remove, {})))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204))
    const { link } = await generate(owner, name)
    expect(new URL(link).searchParams.get('k')).toMatch(/^2\./u)
  })

  it('belongs to the restaurant of the session, and is not found under another name', async () => {
    const [own, rival] = [await app.restaurant(), await app.restaurant()]
    for (const restaurantId of [rival.name, 'Nowhere']) {
      const body = { restaurantId, qrCodeDataUrl: smallPng }
      expect(await own.owner.call(api.qr.generate, { body })).toMatchObject({
        status: 404,
        body: { message: 'Restaurant not found' },
      })
    }
    expect((await rival.owner.call(api.qr.mine, {})).status).toBe(404)
  })

  it.each([
    [{ restaurantId: '', qrCodeDataUrl: smallPng }, 'Restaurant name not set'],
    [{ restaurantId: 'x', qrCodeDataUrl: null }, 'Please send the QR code as a PNG picture'],
    [
      { restaurantId: 'x', qrCodeDataUrl: 'data:image/svg+xml;base64,PHN2Zy8+' },
      'Please send the QR code as a PNG picture',
    ],
    [{ restaurantId: 'x', qrCodeDataUrl: smallPng.padEnd(70_000, 'A') }, 'The picture is too large'],
  ])('is not drawn for something that is not a picture of one: %j', async (body, message) => {
    const { owner } = await app.restaurant()
    expect(await owner.send('POST', '/api/qr-codes', body)).toMatchObject({ status: 400, body: { message } })
  })

  it('leads to the current address of the installation', async () => {
    const { owner, name } = await app.restaurant()
    await generate(owner, name)
    const { settings } = app.ctx
    const { publicUrl } = settings
    settings.publicUrl = 'https://tables.example.com'
    const { qrCodeDataUrl } = await owner.ok(api.qr.mine, {})
    settings.publicUrl = publicUrl
    expect((await linkIn(qrCodeDataUrl)).origin).toBe('https://tables.example.com')
  })
})

describe('the table cards', () => {
  it('are one for each table, in numerical order, each with its own code', async () => {
    const { owner, name } = await app.restaurant({ tables: ['10', '2', 'Bar', '1', 'Patio 10', 'Patio 9'] })
    const { cards } = await owner.ok(api.qr.sheet, {})
    expect(cards.map(({ tableNumber }) => tableNumber)).toEqual([
      '1',
      '2',
      '10',
      'Bar',
      'Patio 9',
      'Patio 10',
    ])
    for (const { tableNumber, link, svg } of cards) {
      const pixels = pixelsOfSvg(svg)
      expect(await readCode(pixels)).toBe(link)
      expect(await errorCorrectionLevel(pixels)).toBe('M')
      const url = new URL(link)
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ r: name, t: tableNumber })
      expect(await askThrough(url)).toMatchObject({ tableNumber, verified: true })
    }
    expect(new Set(cards.map(({ link }) => new URL(link).searchParams.get('k'))).size).toBe(6)
  })

  it('are not valid for another table', async () => {
    const { owner } = await app.restaurant({ tables: ['1', '2'] })
    const { cards } = await owner.ok(api.qr.sheet, {})
    expect(await askThrough(new URL(cards[0]?.link ?? ''), '2')).toMatchObject({
      tableNumber: '2',
      verified: false,
    })
  })

  it('are empty while there are no tables', async () => {
    const { owner } = await app.restaurant()
    expect(await owner.ok(api.qr.sheet, {})).toMatchObject({ cards: [] })
  })

  it('are drawn for 500 tables while other requests are answered', async () => {
    const { owner } = await app.restaurant()
    await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 500 } })
    const answered: string[] = []
    await Promise.all([
      owner.ok(api.qr.sheet, {}).then(({ cards }) => {
        expect(cards).toHaveLength(500)
        answered.push('sheet')
      }),
      owner.ok(api.accounts.session, {}).then(() => answered.push('session')),
    ])
    expect(answered).toEqual(['session', 'sheet'])
  })
})

describe('a restaurant without a subscription', () => {
  const paid = setUpApp({ billing: true })

  const subscribe = async (name: string, status: string) => {
    const { restaurantId } = await paid.ctx.db.reader
      .selectFrom('restaurantName')
      .innerJoin('restaurant', 'restaurant.id', 'restaurantName.restaurantId')
      .select('restaurantId')
      .where('restaurant.name', '=', name)
      .executeTakeFirstOrThrow()
    const subscription = { restaurantId, provider: 'sandbox', subscriptionId: `sub_${restaurantId}`, status }
    await paid.ctx.db.transact((db) =>
      db
        .insertInto('subscription')
        .values({
          ...subscription,
          plan: 'monthly',
          priceId: 'price',
          currentPeriodEnd: null,
          cancelAtPeriodEnd: 0,
          asOf: paid.now(),
        })
        .execute(),
    )
  }

  const ask = async (status?: string) => {
    const { owner, name } = await paid.restaurant({ tables: ['1'] })
    if (status !== undefined) await subscribe(name, status)
    return [
      await owner.call(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } }),
      await owner.call(api.qr.sheet, {}),
      await owner.call(api.qr.mine, {}),
    ]
  }

  it.each([undefined, 'past_due', 'canceled', 'incomplete', 'unheard-of'])(
    'gets no code: %s',
    async (status) => {
      const refusal = { status: 402, body: { code: 'payment_required', message: 'Subscription Required' } }
      expect(await ask(status)).toMatchObject([refusal, refusal, { status: 404 }])
    },
  )

  it.each(['active', 'trialing'])(
    'gets a code as soon as it has a subscription that is %s',
    async (status) => {
      expect(await ask(status)).toMatchObject([{ status: 201 }, { status: 200 }, { status: 200 }])
    },
  )

  it('still shows its code, and may delete it', async () => {
    const { owner, name } = await paid.restaurant()
    await subscribe(name, 'active')
    const body = { restaurantId: name, qrCodeDataUrl: smallPng }
    const generated = await owner.ok(api.qr.generate, { body })
    await paid.ctx.db.transact((db) => db.updateTable('subscription').set({ status: 'canceled' }).execute())
    expect(await owner.ok(api.qr.mine, {})).toEqual(generated)
    expect((await owner.call(api.qr.remove, {})).status).toBe(204)
    expect((await owner.call(api.qr.generate, { body })).status).toBe(402)
  })
})
