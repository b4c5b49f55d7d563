import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, hourMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser, type TestSocket } from '../../../../test/support/app.ts'
import { setUpPushService, takeNotifications } from '../../../../test/support/outside/push-restaurant.ts'
import * as notes from '../../storage/guests/manager-notes.ts'
import { removeExpiredData } from '../retention/retention.ts'
import { pushDueNotes } from './manager-notes.ts'

const app = setUpApp()
const words = 'The soup was cold, and nobody came back'

async function restaurantWithNotes({ on = true, tables = ['4', '7'] } = {}) {
  const restaurant = await app.restaurant({ tables })
  if (on) await restaurant.owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  await restaurant.owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, {
    body: { restaurantName: restaurant.name, username: 'boss', password },
  })
  return { ...restaurant, manager }
}

type Restaurant = Awaited<ReturnType<typeof restaurantWithNotes>>

const write = (guest: TestBrowser, { name }: Restaurant, id: string, more: object = {}) =>
  guest.call(api.guestNotes.send, {
    body: { id, restaurantId: name, tableNumber: '7', text: words, ...more },
  })

const listFor = async (staff: TestBrowser) => (await staff.ok(api.managerNotes.list, {})).notes
const listOf = (guest: TestBrowser, { name }: Restaurant) =>
  guest.ok(api.guestNotes.mine, { query: { restaurantId: name } })

async function screenOf(
  browser: TestBrowser,
  { name }: Restaurant,
  tableNumber?: string,
): Promise<TestSocket> {
  const screen = await browser.connect()
  const at = { restaurantId: name, ...(tableNumber !== undefined && { tableNumber }) }
  await screen.request({ type: 'set-restaurant-context', ...at })
  return screen
}

describe('a word to the manager', () => {
  it('reaches managers and the owner live, and the guest reads what becomes of it', async () => {
    const restaurant = await restaurantWithNotes()
    const { manager, owner } = restaurant
    const guest = app.browser()
    const portal = await screenOf(manager, restaurant)
    const page = await screenOf(guest, restaurant, '7')
    const { status, body } = await write(guest, restaurant, 'note-1')
    expect(status).toBe(201)
    expect(body).toEqual({ id: 'note-1', text: words, state: 'new', by: null, answer: null })
    await portal.next('manager-notes-changed')
    const note = { id: 'note-1', text: words, tableNumber: '7', state: 'new', verified: false }
    for (const staff of [manager, owner]) expect(await listFor(staff)).toMatchObject([note])

    await manager.ok(api.managerNotes.markSeen, { body: { ids: ['note-1', 'another'] } })
    await page.next('table-changed')
    expect(await listOf(guest, restaurant)).toMatchObject([{ state: 'seen', by: null }])
    const params = { id: 'note-1' }
    await manager.ok(api.managerNotes.take, { params, body: { name: ' Anna ' } })
    await page.next('table-changed')
    expect(await listOf(guest, restaurant)).toMatchObject([{ state: 'taken', by: 'Anna' }])
    await owner.ok(api.managerNotes.close, { params, body: { answer: 'A new soup is on its way.' } })
    await page.next('table-changed')
    expect(await listOf(guest, restaurant)).toEqual([
      { id: 'note-1', text: words, state: 'closed', by: 'Anna', answer: 'A new soup is on its way.' },
    ])
    expect(await listFor(owner)).toMatchObject([{ state: 'closed' }])
    expect(page.ofType('table-changed')).toHaveLength(3)
  })

  it('is off until the owner switches it on, and the audit log names the switch alone', async () => {
    const restaurant = await restaurantWithNotes({ on: false })
    const { owner, manager } = restaurant
    const guest = app.browser()
    expect(await write(guest, restaurant, 'note-1')).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        message: 'Messages to the manager are switched off here. Please ask your waiter.',
      },
    })
    const link = `/customer?r=${encodeURIComponent(restaurant.name)}&t=7`
    expect(await (await guest.fetch(link)).text()).not.toContain('"notes"')
    expect(await manager.ok(api.managerNotes.list, {})).toEqual({ on: false, notes: [] })
    const settings = await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
    expect(settings.managerNotes).toBe(true)
    expect((await write(guest, restaurant, 'note-1')).status).toBe(201)
    expect(await (await guest.fetch(link)).text()).toContain(`"notes":[{"id":"note-1"`)
    const { entries } = await owner.ok(api.audit.list, {})
    expect(entries[0]).toMatchObject({ action: 'restaurant.change', detail: { managerNotes: true } })
    expect(JSON.stringify(entries)).not.toContain('soup')
  })

  it('counts once however often it is sent, whatever has changed since', async () => {
    const restaurant = await restaurantWithNotes()
    const { owner, device } = restaurant
    const guest = app.browser()
    await guest.fetch(`/customer?r=${encodeURIComponent(restaurant.name)}&t=7`)
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => write(guest, restaurant, 'note-1', { text: words })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const crew = await device.connect()
    await crew.request({ type: 'set-restaurant-context', restaurantId: restaurant.name })
    await crew.request({ type: 'mute-table', tableNumber: '7' })
    await owner.ok(api.restaurant.change, { body: { managerNotes: false } })
    expect((await write(guest, restaurant, 'note-1')).status).toBe(200)
    expect(await listFor(owner)).toHaveLength(1)
  })

  it('cannot be read or answered from another device, the crew or another restaurant', async () => {
    const [restaurant, rival] = [await restaurantWithNotes(), await restaurantWithNotes()]
    const [guest, neighbour] = [app.browser(), app.browser()]
    const crew = await screenOf(restaurant.device, restaurant)
    await write(guest, restaurant, 'note-1')
    expect(await listOf(neighbour, restaurant)).toEqual([])
    expect(await listOf(guest, rival)).toEqual([])
    expect((await write(neighbour, restaurant, 'note-1')).body).toMatchObject({ code: 'invalid' })
    expect((await write(neighbour, rival, 'note-1')).status).toBe(201)
    expect(await listFor(rival.manager)).toHaveLength(1)
    const params = { id: 'note-1' }
    expect((await restaurant.device.call(api.managerNotes.list, {})).status).toBe(403)
    expect((await restaurant.device.call(api.managerNotes.take, { params, body: {} })).status).toBe(403)
    await rival.manager.ok(api.managerNotes.close, { params, body: { answer: 'Sorry' } })
    expect(await listFor(restaurant.manager)).toMatchObject([{ state: 'new', answer: null }])
    const foreign = { params: { id: 'note-2' }, body: {} }
    await write(guest, restaurant, 'note-2')
    expect((await rival.manager.call(api.managerNotes.take, foreign)).status).toBe(404)
    expect((await rival.manager.call(api.managerNotes.close, foreign)).status).toBe(404)
    await crew.request({ type: 'ping' })
    expect(crew.ofType('manager-notes-changed')).toEqual([])
    expect(JSON.stringify(crew.received)).not.toContain('soup')
  })

  it('belongs to the first of two managers, and has one end', async () => {
    const restaurant = await restaurantWithNotes()
    const { manager, owner } = restaurant
    await write(app.browser(), restaurant, 'note-1')
    const params = { id: 'note-1' }
    const taken = await Promise.all([
      manager.ok(api.managerNotes.take, { params, body: { name: 'Anna' } }),
      owner.ok(api.managerNotes.take, { params, body: { name: 'Ben' } }),
    ])
    expect(new Set(taken.map(({ by }) => by)).size).toBe(1)
    const closed = await Promise.all([
      manager.ok(api.managerNotes.close, { params, body: { answer: 'One' } }),
      owner.ok(api.managerNotes.close, { params, body: { answer: 'Two' } }),
    ])
    expect(new Set(closed.map(({ answer }) => answer)).size).toBe(1)
    const late = await owner.ok(api.managerNotes.take, { params, body: { name: 'Ben' } })
    expect(late).toMatchObject({ state: 'closed', by: taken[0]?.by })
  })

  it.each([
    ['nothing', { text: '  ' }],
    ['too much', { text: 'x'.repeat(281) }],
    ['what no database can store', { text: 'a\u0000b' }],
    ['no text', { text: 7 }],
    ['no id', { id: '../x' }],
  ])('is refused if it says %s', async (_what, more) => {
    const restaurant = await restaurantWithNotes()
    const id = 'note-1'
    expect(
      (await app.browser().send('POST', '/api/guest-notes', { ...body(restaurant, id), ...more })).status,
    ).toBe(400)
    expect(await listFor(restaurant.manager)).toEqual([])
  })

  const body = ({ name }: Restaurant, id: string) => ({
    id,
    restaurantId: name,
    tableNumber: '7',
    text: words,
  })

  it('may have 280 characters, of any script', async () => {
    const restaurant = await restaurantWithNotes()
    const text = '👋'.repeat(280)
    expect((await write(app.browser(), restaurant, 'note-1', { text })).status).toBe(201)
    expect(await listFor(restaurant.manager)).toMatchObject([{ text }])
  })

  it('needs what a tap needs: a table that exists and is not muted, its code, a visit', async () => {
    const restaurant = await restaurantWithNotes()
    const { owner, device, manager } = restaurant
    const guest = app.browser()
    const gone = await write(guest, restaurant, 'note-1', { tableNumber: '99' })
    expect(gone).toMatchObject({ status: 404, body: { params: { table: '99' } } })
    const crew = await device.connect()
    await crew.request({ type: 'set-restaurant-context', restaurantId: restaurant.name })
    await crew.request({ type: 'mute-table', tableNumber: '7' })
    expect(await write(guest, restaurant, 'note-1')).toMatchObject({ body: { code: 'table_muted' } })
    await crew.request({ type: 'unmute-table', tableNumber: '7' })
    const { guestLink } = await owner.ok(api.restaurant.change, { body: { verifiedOnly: true } })
    expect(await write(guest, restaurant, 'note-1')).toMatchObject({ body: { code: 'code_required' } })
    const k = new URL(guestLink).searchParams.get('k')
    expect((await write(guest, restaurant, 'note-1', { k })).status).toBe(201)
    expect(await listFor(manager)).toMatchObject([{ verified: true }])
    app.advance(3 * hourMs + 1)
    expect(await write(guest, restaurant, 'note-2', { k })).toMatchObject({ body: { code: 'visit_expired' } })
    expect(await listOf(guest, restaurant)).toEqual([])
  })

  it('is limited for each phone, table and restaurant', async () => {
    const restaurant = await restaurantWithNotes()
    const guest = app.browser()
    for (const id of ['a', 'b', 'c']) expect((await write(guest, restaurant, id)).status).toBe(201)
    const refused = await write(guest, restaurant, 'd')
    expect(refused).toMatchObject({ status: 429, body: { params: { seconds: expect.any(Number) } } })
    for (const id of ['d', 'e', 'f']) expect((await write(app.browser(), restaurant, id)).status).toBe(201)
    expect((await write(app.browser(), restaurant, 'g')).status).toBe(429)
    expect((await write(app.browser(), restaurant, 'g', { tableNumber: '4' })).status).toBe(201)
    expect(await listFor(restaurant.manager)).toHaveLength(7)
    const request = { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'general' } as const
    expect((await guest.call(api.requests.send, { body: request })).status).toBe(201)
  })

  it('stays in the list while it is open, whatever comes after it, and its party is looked up with the others', async () => {
    const restaurant = await restaurantWithNotes()
    const restaurantId = await app.idOf(restaurant)
    await write(app.browser(), restaurant, 'first')
    const unset = {
      guestId: null,
      placedAt: null,
      seenAt: null,
      takenAt: null,
      takenBy: null,
      answer: null,
      pushDueAt: null,
    }
    const seat = { restaurantId, tableKey: '7', tableNumber: '7' }
    await app.ctx.db.transact(async (db) => {
      for (let index = 1; index <= 210; index++) {
        const createdAt = app.now() + index
        const given = { id: `n${index}`, text: words, createdAt, ...seat, ...unset }
        // Somebody without the code, and what was looked after since.
        await notes.insert(db, { ...given, verified: 0, closedAt: null })
        if (index <= 5) await notes.insert(db, { ...given, id: `v${index}`, verified: 1, closedAt: null })
        else await notes.insert(db, { ...given, id: `c${index}`, verified: 1, closedAt: createdAt })
      }
      await db.updateTable('managerNote').set({ verified: 1 }).where('id', '=', 'first').execute()
    })
    app.advance(1_000)
    const crew = await screenOf(restaurant.device, restaurant)
    await crew.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
    const queries = vi.spyOn(app.ctx.db.reader, 'selectFrom')
    onTestFinished(() => queries.mockRestore())
    const listed = await listFor(restaurant.manager)
    expect(queries.mock.calls.flat().filter((given: unknown) => given === 'partyMove')).toHaveLength(1)
    expect(listed.map(({ id }) => id)).toEqual([
      ...Array.from({ length: 194 }, (_, index) => `n${210 - index}`),
      'v5',
      'v4',
      'v3',
      'v2',
      'v1',
      'first',
    ])
    expect(new Set(listed.map(({ tableNumber }) => tableNumber))).toEqual(new Set(['4']))
  })

  it('follows its party, and outlives its table', async () => {
    const restaurant = await restaurantWithNotes()
    const { owner, device, manager } = restaurant
    const guest = app.browser()
    await write(guest, restaurant, 'note-1')
    app.advance(1_000)
    const crew = await device.connect()
    await crew.request({ type: 'set-restaurant-context', restaurantId: restaurant.name })
    await crew.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
    expect(await listFor(manager)).toMatchObject([{ tableNumber: '4' }])
    const page = await screenOf(guest, restaurant, '7')
    const params = { id: 'note-1' }
    await manager.ok(api.managerNotes.take, { params, body: {} })
    await page.next('table-changed')
    expect(await listOf(guest, restaurant)).toMatchObject([{ state: 'taken', by: null }])
    for (const { id } of await owner.ok(api.floor.tables, {}))
      await owner.ok(api.floor.removeTable, { params: { id }, query: { confirm: 'true' } })
    expect((await manager.ok(api.managerNotes.close, { params, body: {} })).state).toBe('closed')
  })

  it('comes along when its guest corrects the table', async () => {
    const restaurant = await restaurantWithNotes()
    const { manager, device, name } = restaurant
    const [guest, neighbour] = [app.browser(), app.browser()]
    for (const id of ['answered', 'note-1', 'note-2']) await write(guest, restaurant, id)
    await manager.ok(api.managerNotes.close, { params: { id: 'answered' }, body: {} })
    await write(neighbour, restaurant, 'neighbours')
    app.advance(1_000)
    const portal = await screenOf(manager, restaurant)
    await guest.ok(api.requests.correctTable, { body: { restaurantId: name, tableNumber: '4', from: '7' } })
    await portal.next('manager-notes-changed')
    const tableOfEach = async () =>
      Object.fromEntries((await listFor(manager)).map(({ id, tableNumber }) => [id, tableNumber]))
    expect(await tableOfEach()).toEqual({ answered: '7', 'note-1': '4', 'note-2': '4', neighbours: '7' })
    const page = await screenOf(guest, restaurant, '4')
    await manager.ok(api.managerNotes.take, { params: { id: 'note-1' }, body: {} })
    await page.next('table-changed')
    // Then the crew moves the party back.
    app.advance(1_000)
    const crew = await screenOf(device, restaurant)
    await crew.request({ type: 'move-party', id: 'move-1', from: '4', to: '7' })
    expect(await tableOfEach()).toMatchObject({ 'note-1': '7', 'note-2': '7' })
  })

  it('stays with its guest, whoever has left that table before', async () => {
    const restaurant = await restaurantWithNotes({ tables: ['4', '7', '9'] })
    const { manager, device, name } = restaurant
    const guest = app.browser()
    await write(guest, restaurant, 'note-1')
    const tables = async () => (await listFor(manager)).map(({ tableNumber }) => tableNumber)
    const crew = await screenOf(device, restaurant)
    const move = async (from: string, to: string): Promise<void> => {
      app.advance(1_000)
      await crew.request({ type: 'move-party', id: `${from}-${to}`, from, to })
    }
    const correct = async (from: string, tableNumber: string): Promise<void> => {
      app.advance(1_000)
      await guest.ok(api.requests.correctTable, { body: { restaurantId: name, tableNumber, from } })
    }
    // The crew moved the wrong party.
    await move('7', '9')
    expect(await tables()).toEqual(['9'])
    await correct('7', '7')
    expect(await tables()).toEqual(['7'])
    // Another party has left the table that is theirs.
    await move('4', '9')
    await correct('7', '4')
    expect(await tables()).toEqual(['4'])
    const page = await screenOf(guest, restaurant, '4')
    await manager.ok(api.managerNotes.take, { params: { id: 'note-1' }, body: {} })
    await page.next('table-changed')
  })

  it('stays with its guest also where parties left that table before the clock was set back', async () => {
    const restaurant = await restaurantWithNotes({ tables: ['4', '7', '9'] })
    const { manager, device, name } = restaurant
    const crew = await screenOf(device, restaurant)
    const move = (from: string, to: string) =>
      crew.request({ type: 'move-party', id: `${from}-${to}`, from, to })
    const tablesOf = async (...ids: string[]) => {
      const listed = await listFor(manager)
      return ids.map((id) => listed.find((note) => note.id === id)?.tableNumber)
    }
    await move('7', '9')
    await move('4', '9')
    app.advance(-hourMs)
    onTestFinished(() => app.advance(hourMs))
    const [guest, corrected] = [app.browser(), app.browser()]
    await write(guest, restaurant, 'note-1')
    await write(corrected, restaurant, 'note-2')
    expect(await tablesOf('note-1', 'note-2')).toEqual(['7', '7'])
    await corrected.ok(api.requests.correctTable, {
      body: { restaurantId: name, tableNumber: '4', from: '7' },
    })
    expect(await tablesOf('note-1', 'note-2')).toEqual(['7', '4'])
  })

  it('that its guest took along after the clock was set back goes where the crew then moves them', async () => {
    const restaurant = await restaurantWithNotes({ tables: ['4', '7', '9'] })
    const { manager, device, name } = restaurant
    const guest = app.browser()
    await write(guest, restaurant, 'note-1')
    app.advance(-hourMs)
    onTestFinished(() => app.advance(hourMs))
    await guest.ok(api.requests.correctTable, { body: { restaurantId: name, tableNumber: '4', from: '7' } })
    expect(await listFor(manager)).toMatchObject([{ tableNumber: '4' }])
    app.advance(1_000)
    const crew = await screenOf(device, restaurant)
    await crew.request({ type: 'move-party', id: 'move-1', from: '4', to: '9' })
    expect(await listFor(manager)).toMatchObject([{ tableNumber: '9' }])
  })

  it('goes with its guest whom the crew moves while it is being stored', async () => {
    const restaurant = await restaurantWithNotes()
    const crew = await screenOf(restaurant.device, restaurant)
    const { trace } = app.ctx
    let moved: Promise<unknown> | undefined
    Object.assign(app.ctx, {
      async trace(name: string, work: () => Promise<unknown>) {
        if (name.startsWith('write') && !moved) {
          app.advance(1)
          moved = crew.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
          await moved
          app.advance(1)
        }
        return trace(name, work)
      },
    })
    onTestFinished(() => void Object.assign(app.ctx, { trace }))
    await write(app.browser(), restaurant, 'note-1')
    expect(await moved).toMatchObject({ type: 'ack' })
    expect(await listFor(restaurant.manager)).toMatchObject([{ id: 'note-1', tableNumber: '4' }])
  })

  it('goes back with its guest when the crew undoes the move after which it was written', async () => {
    const restaurant = await restaurantWithNotes({ tables: ['4', '7', '9'] })
    const { manager, device, name } = restaurant
    const [guest, neighbour] = [app.browser(), app.browser()]
    await guest.fetch(`/customer?${new URLSearchParams({ r: name, t: '7' }).toString()}`)
    app.advance(1_000)
    const crew = await screenOf(device, restaurant)
    await crew.request({ type: 'move-party', id: 'move-1', from: '7', to: '4' })
    app.advance(1_000)
    for (const id of ['note-1', 'answered']) await write(guest, restaurant, id)
    await write(neighbour, restaurant, 'neighbours', { tableNumber: '4' })
    const tableOfEach = async () =>
      Object.fromEntries((await listFor(manager)).map(({ id, tableNumber }) => [id, tableNumber]))
    expect(await tableOfEach()).toEqual({ 'note-1': '4', answered: '4', neighbours: '4' })
    // What is closed stays where its guest was then.
    await manager.ok(api.managerNotes.close, { params: { id: 'answered' }, body: {} })
    expect(await tableOfEach()).toMatchObject({ answered: '4' })
    await crew.request({ type: 'undo-party-move', id: 'move-1' })
    expect(await tableOfEach()).toEqual({ 'note-1': '7', answered: '4', neighbours: '4' })
    const page = await screenOf(guest, restaurant, '7')
    await manager.ok(api.managerNotes.take, { params: { id: 'note-1' }, body: {} })
    await page.next('table-changed')
    app.advance(1_000)
    await crew.request({ type: 'move-party', id: 'move-2', from: '4', to: '9' })
    await crew.request({ type: 'move-party', id: 'move-3', from: '7', to: '4' })
    expect(await tableOfEach()).toEqual({ 'note-1': '4', answered: '4', neighbours: '9' })
  })

  it('works without JavaScript: a plain form', async () => {
    const restaurant = await restaurantWithNotes()
    const guest = app.browser()
    const link = `/customer?${new URLSearchParams({ r: restaurant.name, t: '7' }).toString()}`
    const german = { headers: { 'accept-language': 'de' } }
    const open = async (path = link): Promise<string> => await (await guest.fetch(path, german)).text()
    expect(await open()).toMatch(/<noscript>.*Etwas stimmt nicht/u)
    const form = await open(`${link}&action=word`)
    expect(form).toMatch(/<textarea[^>]*name="word"/u)
    expect(form).not.toContain('http-equiv="refresh"')
    const id = /name="id" value="([^"]+)"/u.exec(form)?.[1] ?? ''
    const fields = { action: 'word', id, r: restaurant.name, t: '7', word: words }
    const send = (more: object = {}) =>
      guest.fetch('/customer', {
        method: 'POST',
        headers: { ...german.headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...fields, ...more }).toString(),
      })
    for (let times = 0; times < 2; times++) expect((await send()).status).toBe(303)
    const [note, ...others] = await listFor(restaurant.manager)
    expect([note?.text, others]).toEqual([words, []])
    expect(await open()).toMatch(/<noscript>.*An die Leitung gesendet/u)
    const empty = await send({ word: ' ' })
    expect(empty.status).toBe(400)
    expect(await empty.text()).toContain('Bitte prüfen Sie Ihre Eingabe.')
    const crew = await screenOf(restaurant.device, restaurant)
    await crew.request({ type: 'mute-table', tableNumber: '7' })
    expect(await open()).toMatch(/<noscript>.*An die Leitung gesendet/u)
    expect(await open(`${link}&action=word`)).not.toMatch(/<noscript>.*Etwas stimmt nicht|name="word"/u)
    await crew.request({ type: 'unmute-table', tableNumber: '7' })
    await restaurant.owner.ok(api.restaurant.change, { body: { managerNotes: false } })
    const off = await send({ id: 'later' })
    expect(off.status).toBe(409)
    expect(await off.text()).toContain(
      'Hier nimmt die Leitung keine Nachrichten an. Bitte fragen Sie Ihre Bedienung.',
    )
  })

  it('is kept for 30 days, and never logged', async () => {
    const restaurant = await restaurantWithNotes()
    await write(app.browser(), restaurant, 'note-1')
    app.advance(29 * dayMs)
    await removeExpiredData(app.ctx)
    const stored = () =>
      app.ctx.db.reader.selectFrom('managerNote').select('id').where('text', '=', words).execute()
    expect(await stored()).not.toEqual([])
    app.advance(dayMs + 1)
    await removeExpiredData(app.ctx)
    expect(await stored()).toEqual([])
    expect(app.lines.join('\n')).not.toContain('soup')
  })
})

const push = setUpPushService()

describe('a push', () => {
  it('tells managers alone that a guest wants a word, and nothing of it', async () => {
    const restaurant = await push.openRestaurant()
    const { name, owner, manager, phones } = restaurant
    await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
    const guest = push.app.browser()
    const text = { text: words, restaurantId: name, tableNumber: '2' }
    await guest.ok(api.guestNotes.send, { body: { id: 'note-1', ...text } })
    await push.app.whenIdle()
    expect(JSON.stringify(phones.manager.received)).not.toContain('soup')
    expect(await takeNotifications(restaurant)).toEqual({
      maya: [],
      jonas: [],
      manager: ['Table 2: A guest at table 2 wrote to you'],
    })
    const params = { id: 'note-1' }
    await manager.ok(api.managerNotes.take, { params, body: { name: 'Anna' } })
    expect((await takeNotifications(restaurant)).manager).toEqual(['– Table 2: Anna is on it'])
    await guest.ok(api.guestNotes.send, { body: { id: 'note-2', ...text } })
    await takeNotifications(restaurant)
    for (const id of ['note-1', 'note-2'])
      await manager.ok(api.managerNotes.close, { params: { id }, body: { answer: 'A new soup' } })
    expect((await takeNotifications(restaurant)).manager).toEqual(['– Table 2: Done'])
  })

  it('tells them once although the server that took the note stopped before it began', async () => {
    const restaurant = await push.openRestaurant()
    const { app } = push
    const { name, owner, manager } = restaurant
    await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
    const guest = app.browser()
    const { background } = app.ctx
    const postponed: (() => Promise<void>)[] = []
    const write = async (...ids: string[]) => {
      Object.assign(app.ctx, { background: (task: () => Promise<void>) => void postponed.push(task) })
      for (const id of ids)
        await guest.ok(api.guestNotes.send, {
          body: { id, text: words, restaurantId: name, tableNumber: '2' },
        })
      Object.assign(app.ctx, { background })
    }
    await write('note-1', 'note-2')
    await manager.ok(api.managerNotes.take, { params: { id: 'note-2' }, body: { name: 'Anna' } })
    await pushDueNotes(app.ctx)
    expect((await takeNotifications(restaurant)).manager).toEqual([])
    app.advance(5_000)
    await Promise.all([pushDueNotes(app.ctx), pushDueNotes(app.ctx)])
    expect((await takeNotifications(restaurant)).manager).toEqual([
      'Table 2: A guest at table 2 wrote to you',
    ])
    postponed.forEach(background)
    expect((await takeNotifications(restaurant)).manager).toEqual([])

    await write('note-3')
    app.advance(61 * 60_000)
    await pushDueNotes(app.ctx)
    expect((await takeNotifications(restaurant)).manager).toEqual([])
    const due = app.ctx.db.reader.selectFrom('managerNote').select('id').where('pushDueAt', 'is not', null)
    expect(await due.execute()).toEqual([])
  })

  it('is withdrawn although the server at which they took the note stopped before it began', async () => {
    const restaurant = await push.openRestaurant()
    const { app } = push
    const { name, owner, manager } = restaurant
    await owner.ok(api.restaurant.change, { body: { managerNotes: true } })
    for (const id of ['note-1', 'note-2'])
      await app.browser().ok(api.guestNotes.send, {
        body: { id, text: words, restaurantId: name, tableNumber: '2' },
      })
    expect((await takeNotifications(restaurant)).manager).toHaveLength(2)
    const { background } = app.ctx
    const postponed: (() => Promise<void>)[] = []
    Object.assign(app.ctx, { background: (task: () => Promise<void>) => void postponed.push(task) })
    await manager.ok(api.managerNotes.take, { params: { id: 'note-1' }, body: { name: 'Anna' } })
    await manager.ok(api.managerNotes.close, { params: { id: 'note-2' }, body: {} })
    Object.assign(app.ctx, { background })
    app.advance(15_000)
    await app.ctx.pusher.sendDue()
    const withdrawn = ['– Table 2: Anna is on it', '– Table 2: Done']
    expect((await takeNotifications(restaurant)).manager?.toSorted()).toEqual(withdrawn)
    postponed.forEach(background)
    expect((await takeNotifications(restaurant)).manager).toEqual([])
  })
})
