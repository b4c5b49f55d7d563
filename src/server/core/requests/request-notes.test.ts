import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../test/support/pages/crew-view.ts'
import {
  ask,
  needs,
  openWithNeeds,
  rail,
  send,
  setNeeds,
  type TapInput,
} from '../../../../test/support/restaurants/own-needs.ts'
import { openPartyRestaurant } from '../../../../test/support/restaurants/party-restaurant.ts'

const app = setUpApp()

describe('a note', () => {
  it('is kept where the owner allows one, and those of a repeat are added', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    await ask(guest, restaurant, { need: 'water', note: 'with ice' })
    await ask(guest, restaurant, { serviceType: 'food', note: 'no nuts' })
    await ask(guest, restaurant, { note: 'hello' })
    await ask(guest, restaurant, { need: 'allergy', note: '  Nüsse,\n\u0007 und\u202E Milch\t ' })
    expect(await rail(restaurant)).toContain('other:allergy "Nüsse, und Milch" ×1')
    await ask(guest, restaurant, { need: 'allergy' })
    await ask(guest, restaurant, { need: 'allergy', note: ' \n ' })
    expect(await rail(restaurant)).toContain('other:allergy "Nüsse, und Milch" ×3')
    const emoji = '👨‍👩‍👧'.repeat(20) + 'می‌خواهم'
    await ask(guest, restaurant, { need: 'allergy', note: emoji })
    await setNeeds(restaurant, [{ id: 'other', note: true }])
    await ask(guest, restaurant, { note: 'a chair' })
    expect(await rail(restaurant)).toEqual(
      [
        'other:water ×1',
        'food ×1',
        'other "a chair" ×2',
        `other:allergy "Nüsse, und Milch · ${emoji}" ×4`,
      ].toSorted(),
    )
  })

  it('of one guest is never replaced by that of another, nor repeated, nor without end', async () => {
    const restaurant = await openWithNeeds(app)
    const notes = async (...texts: string[]) => {
      for (const note of texts) await ask(app.browser(), restaurant, { need: 'allergy', note })
      return (await pendingRequests(restaurant.device)).requests[0]?.note
    }
    expect(await notes('100 % nuts_', 'milk', '100 % nuts_', 'milk')).toBe('100 % nuts_ · milk')
    expect(await notes('nuts', 'mil')).toBe('100 % nuts_ · milk · nuts · mil')
    const full = `100 % nuts_ · milk · nuts · mil · ${'a'.repeat(140)} · ${'b'.repeat(102)}…`
    expect(await notes('a'.repeat(140), 'b'.repeat(140))).toBe(full)
    expect(full).toHaveLength(280)
    expect(await notes('c'.repeat(140), 'd')).toBe(full)
  })

  it('of which the crew cannot see all is answered so, also when the first answer was lost', async () => {
    const restaurant = await openWithNeeds(app)
    const [guest, other] = [app.browser(), app.browser()]
    const isCut = async (from: TestBrowser, tap: TapInput) => {
      const { body } = await send(from, restaurant, tap)
      if (!('request' in body)) throw new Error(JSON.stringify(body))
      return body.noteCut ?? false
    }
    const allergies = (from: TestBrowser, note?: string, id?: string) =>
      isCut(from, { need: 'allergy', note, id })
    expect(await allergies(guest, 'a'.repeat(140), 'kept')).toBe(false)
    expect(await allergies(guest, 'a'.repeat(140), 'kept')).toBe(false)
    expect(await allergies(other, 'nuts')).toBe(false)
    expect(await allergies(other)).toBe(false)
    expect(await allergies(guest, 'b'.repeat(140), 'cut')).toBe(true)
    expect(await allergies(guest, 'b'.repeat(140), 'cut')).toBe(true)
    const phone = await guest.connect()
    const live = { type: 'service-request', restaurantId: restaurant.name, tableNumber: '7' } as const
    const again = {
      ...live,
      id: 'cut',
      serviceType: 'other',
      need: 'allergy',
      note: 'b'.repeat(140),
    } as const
    expect(await phone.request(again)).toMatchObject({ request: { id: 'kept' }, noteCut: true })
    // The crew can see this one, and knows what is only asked for again.
    expect(await allergies(other, 'nuts')).toBe(false)
    expect(await allergies(other)).toBe(false)
    expect(await allergies(other, 'milk')).toBe(true)

    expect(await isCut(guest, { serviceType: 'food', note: 'no nuts', id: 'dropped' })).toBe(true)
    expect(await isCut(guest, { serviceType: 'food', note: 'no nuts', id: 'dropped' })).toBe(true)
    expect(await isCut(guest, { serviceType: 'food', note: ' ' })).toBe(false)
    await setNeeds(restaurant, [])
    expect(await allergies(guest, 'no milk')).toBe(true)
  })

  it('cannot be guessed with the id of a tap', async () => {
    const restaurant = await openWithNeeds(app)
    const [guest, other, stranger] = [app.browser(), app.browser(), app.browser()]
    const { id } = await ask(guest, restaurant, { need: 'allergy', note: 'nuts', id: 'first' })
    await ask(other, restaurant, { need: 'allergy', id: 'second' })
    const isCut = async (from: TestBrowser, tap: string, note: string) => {
      const { status, body } = await send(from, restaurant, { id: tap, need: 'allergy', note })
      return [status, 'noteCut' in body]
    }
    const guesses = ['nuts', 'nut', 'milk']
    for (const note of guesses) expect(await isCut(other, 'second', note)).toEqual([200, false])
    for (const letter of ['x', 'y'])
      await ask(guest, restaurant, { need: 'allergy', note: letter.repeat(140) })
    for (const note of guesses) {
      expect(await isCut(other, 'second', note)).toEqual([200, true])
      expect(await isCut(stranger, id, note)).toEqual([200, false])
    }
  })

  it('of a guest who scanned the code is not crowded out by a stranger’s', async () => {
    const restaurant = await openWithNeeds(app)
    const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? undefined
    const [guest, stranger] = [app.browser(), app.browser()]
    for (const letter of ['x', 'y'])
      await ask(stranger, restaurant, { need: 'allergy', note: letter.repeat(140) })
    await ask(guest, restaurant, { need: 'allergy', note: 'nuts', k })
    await ask(stranger, restaurant, { need: 'allergy', note: 'no allergies, thanks' })
    const [request] = (await pendingRequests(restaurant.device)).requests
    expect(request?.note).toMatch(/^nuts · x{140} · y+…$/u)
    expect(request?.note).toHaveLength(280)
  })

  it('is told to the crew, and to nobody who only names the table', async () => {
    const restaurant = await openWithNeeds(app)
    const at = { restaurantId: restaurant.name, tableNumber: '7' }
    const crew = await connectScreen(restaurant.device)
    const [guest, stranger] = [app.browser(), app.browser()]
    const heard: unknown[] = []
    const phone = await stranger.connect()
    heard.push(await phone.request({ type: 'set-restaurant-context', ...at }))
    const asked = await ask(guest, restaurant, { need: 'allergy', note: 'unspoken nuts' })
    expect((await crew.next('new-request')).request).toMatchObject({ note: 'unspoken nuts' })
    const form = { r: at.restaurantId, t: '7', serviceType: 'other', need: 'allergy', note: 'unspoken milk' }
    const posted = await guest.fetch('/customer', { method: 'POST', body: new URLSearchParams(form) })
    heard.push(asked, await posted.text(), await ask(stranger, restaurant, { need: 'allergy' }))
    const tap = { type: 'service-request', serviceType: 'other', need: 'allergy', ...at } as const
    heard.push(await phone.request(tap))
    heard.push(await phone.request({ type: 'set-restaurant-context', ...at }))
    for (const browser of [guest, stranger]) {
      heard.push(await browser.ok(api.requests.mine, { query: at }))
      const page = await browser.fetch(`/customer?${new URLSearchParams({ r: at.restaurantId, t: '7' })}`)
      heard.push(await page.text())
    }
    await restaurant.owner.ok(api.needs.set, { body: { needs } })
    await phone.next('table-changed')
    app.advance(50_000)
    heard.push(await guest.ok(api.requests.stillWaiting, { params: { id: asked.id } }))
    heard.push(await stranger.ok(api.requests.cancel, { params: { id: asked.id } }))
    const texts = [...heard, ...phone.received].map((each) => JSON.stringify(each))
    expect(texts.filter((text) => text.includes('request-updated'))).not.toEqual([])
    expect(texts.filter((text) => text.includes(asked.id)).length).toBeGreaterThan(8)
    for (const text of texts) expect(text).not.toContain('unspoken')
    expect(await rail(restaurant)).toEqual(['other:allergy "unspoken nuts · unspoken milk" ×3'])
  })

  it('is refused when it is too long or unreadable, and stores nothing', async () => {
    const restaurant = await openWithNeeds(app)
    const guest = app.browser()
    const body = (note: unknown) => ({
      restaurantId: restaurant.name,
      tableNumber: '7',
      serviceType: 'other',
      need: 'allergy',
      note,
    })
    for (const note of ['x'.repeat(141), 'x'.repeat(10_000), 7, null, ['nuts'], 'a\uD800b'])
      expect((await guest.send('POST', '/api/service-requests', body(note))).status).toBe(400)
    const phone = await guest.connect()
    phone.sendRaw(JSON.stringify({ type: 'service-request', ref: 'r', ...body('x'.repeat(10_000)) }))
    expect(await phone.next('error')).toMatchObject({ ref: 'r', code: 'invalid' })
    expect(await rail(restaurant)).toEqual([])
  })
})

describe('the note of a party that moves', () => {
  it('leaves the party that stayed its note, whoever wrote the same one first', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const [four, five] = [app.browser(), app.browser()]
    await ask(four, party, { tableNumber: '4', need: 'allergy' })
    app.advance(1_000)
    await ask(five, party, { tableNumber: '5', need: 'allergy', note: 'nuts' })
    app.advance(1_000)
    await ask(four, party, { tableNumber: '4', need: 'allergy', note: 'nuts' })
    const before = await rail(party)
    const id = app.ctx.newId()
    await party.move('5', '4', id)
    expect(await rail(party)).toEqual(['other:allergy "nuts" ×3'])
    await party.undo(id)
    expect(await rail(party)).toEqual(before)
  })

  it('joins notes up to their limit, and goes back with its own', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const write = async (tableNumber: string, note: string) => {
      await ask(app.browser(), party, { tableNumber, need: 'allergy', note })
      app.advance(1_000)
    }
    await write('4', '4'.repeat(140))
    for (const letter of ['a', 'b']) await write('5', letter.repeat(100))
    const before = await rail(party)
    const id = app.ctx.newId()
    await party.move('5', '4', id)
    const joined = `${'4'.repeat(140)} · ${'a'.repeat(100)} · ${'b'.repeat(33)}…`
    expect(await rail(party)).toEqual([`other:allergy "${joined}" ×3`])
    await party.undo(id)
    expect(await rail(party)).toEqual(before)
    await party.move('5', '4')
    await write('4', 'c')
    expect(await rail(party)).toEqual([`other:allergy "${joined}" ×4`])
  })

  it('takes the other party’s note along no further than an undo', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const [four, five] = [app.browser(), app.browser()]
    const kept = await ask(four, party, { tableNumber: '4', need: 'allergy' })
    app.advance(1_000)
    await ask(five, party, { tableNumber: '5', need: 'allergy', note: 'milk' })
    const id = app.ctx.newId()
    await party.move('5', '4', id)
    expect(await rail(party)).toEqual(['other:allergy "milk" ×2'].toSorted())
    expect(
      JSON.stringify(await app.ctx.db.reader.selectFrom('partyMove').selectAll().execute()),
    ).not.toContain('milk')
    await four.ok(api.requests.cancel, { params: { id: kept.id } })
    await party.undo(id)
    expect(await rail(party)).toEqual(['other:allergy "milk" ×1'].toSorted())
  })

  it.for([{ joined: false }, { joined: true }])(
    'stays with its table when a move is undone, and what was added since with both, joined: $joined',
    async ({ joined }) => {
      const party = await openPartyRestaurant(app)
      await setNeeds(party, needs)
      const [five, four] = [app.browser(), app.browser()]
      const write = async (guest: TestBrowser, tableNumber: string, note: string) => {
        await ask(guest, party, { tableNumber, need: 'allergy', note })
        app.advance(1_000)
      }
      if (joined) await write(four, '4', 'eggs')
      else await party.look(four, '4')
      await write(five, '5', 'nuts')
      await party.move('5', '4', 'move-1')
      app.advance(1_000)
      await (joined ? write(five, '5', 'soy') : write(four, '4', 'milk'))
      await party.undo('move-1')
      expect(await rail(party)).toEqual(
        joined
          ? ['other:allergy "eggs · soy" ×1', 'other:allergy "nuts · soy" ×2']
          : ['other:allergy "milk" ×1', 'other:allergy "nuts · milk" ×1'],
      )
    },
  )

  it('joins that of the old table’s next guests, without what the other table had written before', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const write = async (guest: TestBrowser, tableNumber: string, note: string) => {
      const { id } = await ask(guest, party, { tableNumber, need: 'allergy', note })
      app.advance(1_000)
      return id
    }
    const five = app.browser()
    await write(five, '5', 'nuts')
    await write(app.browser(), '4', 'eggs')
    await party.move('5', '4', 'move-1')
    app.advance(1_000)
    await write(five, '5', 'soy')
    // Somebody is on the way there, so that request goes on.
    const theirs = await write(app.browser(), '5', 'fish')
    await party.screen.request({ type: 'accept-request', id: theirs })
    await party.undo('move-1')
    expect(await rail(party)).toEqual(['other:allergy "eggs" ×1', 'other:allergy "fish · nuts · soy" ×3'])
  })

  it('goes to both tables as a whole where a guest with the code has put theirs first', async () => {
    const party = await openPartyRestaurant(app)
    await setNeeds(party, needs)
    const [five, four] = [app.browser(), app.browser()]
    await party.look(four, '4')
    await ask(five, party, { tableNumber: '5', need: 'allergy', note: 'nuts' })
    app.advance(1_000)
    await party.move('5', '4', 'move-1')
    app.advance(1_000)
    await ask(four, party, { tableNumber: '4', need: 'allergy', note: 'milk', k: await party.proofOf('4') })
    await party.undo('move-1')
    const whole = 'other:allergy "milk · nuts" ×1'
    expect(await rail(party)).toEqual([whole, whole])
  })
})
