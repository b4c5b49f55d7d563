import { describe, expect, it } from 'vitest'
import type { CodeRecovery } from '#contract/accounts/recovery.ts'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import type { Restaurant } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import { uniqueAddress, currentGrants, postFrom } from '../../../../../test/support/restaurants/logins.ts'
import { write } from '../../transaction.ts'
import { redeemRecoveryCode } from './recovery-codes.ts'
import { create } from './reset-link.ts'

const newPassword = 'silver-kettle-7'

const app = setUpApp({ trustProxy: ['loopback'] })

let addresses = 0
/** A restaurant with an e-mail address of its own and a manager who is signed in. */
async function open(): Promise<Restaurant & { email: string; manager: TestBrowser }> {
  const restaurant = await app.restaurant()
  const email = `${'a'.repeat(++addresses)}@example.com`
  await write(app.ctx, ({ db }) =>
    db
      .updateTable('owner')
      .set({ email, emailKey: email })
      .where('restaurantId', '=', (e) =>
        e.selectFrom('restaurant').select('id').where('name', '=', restaurant.name),
      )
      .execute(),
  )
  await restaurant.owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, {
    body: { restaurantName: restaurant.name, username: 'boss', password },
  })
  return { ...restaurant, email, manager }
}

const codesOf = async (browser: TestBrowser): Promise<string[]> =>
  (await browser.ok(api.recovery.renewCodes, {})).codes
const leftOf = async (browser: TestBrowser): Promise<number> =>
  (await browser.ok(api.recovery.codes, {})).left

const byCode = (body: Omit<CodeRecovery, 'password'> & { password?: string }, address = uniqueAddress()) =>
  postFrom(app.browser(), '/api/forgot-password', { password: newPassword, ...body }, address)

const login = async ({ name }: Restaurant, word: string): Promise<TestBrowser> => {
  const browser = app.browser()
  await browser.send('POST', '/api/demo-login', { username: name, password: word })
  return browser
}

const noticesOf = async (browser: TestBrowser) =>
  (await browser.ok(api.recovery.notices, {})).map(({ kind, about }) => (about ? `${kind} ${about}` : kind))

const codeFromTyped = (code: string): string => ` ${code.toLowerCase().replaceAll('-', ' ')} `

describe('recovery codes', () => {
  it('are ten, easy to read, and stored as digests only', async () => {
    const { owner } = await open()
    expect(await owner.ok(api.recovery.codes, {})).toEqual({ left: 0, createdAt: null })
    expect(await noticesOf(owner)).toEqual(['no-recovery-codes'])
    const codes = await codesOf(owner)
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/u)
    expect(await owner.ok(api.recovery.codes, {})).toMatchObject({ left: 10 })
    expect(await noticesOf(owner)).toEqual([])
    const rows = JSON.stringify(await app.ctx.db.reader.selectFrom('recoveryCode').selectAll().execute())
    for (const code of codes) {
      expect(rows).not.toContain(code)
      expect(rows).not.toContain(code.replaceAll('-', ''))
    }
  })

  it('are renewed only shortly after signing in, which voids the old ones', async () => {
    const { name, owner } = await open()
    const [old = ''] = await codesOf(owner)
    const [first, second] = await Promise.all([codesOf(owner), codesOf(owner)])
    expect(await leftOf(owner)).toBe(10)
    expect((await byCode({ restaurantName: name, code: old })).status).toBe(401)
    app.advance(16 * minuteMs)
    expect((await owner.call(api.recovery.renewCodes, {})).status).toBe(403)
    const answers = await Promise.all(
      [first[0] ?? '', second[0] ?? ''].map((code) => byCode({ restaurantName: name, code })),
    )
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['204', '401'])
  })

  it('belong to one owner or manager, and each works once, however many try at once', async () => {
    const [restaurant, other] = [await open(), await open()]
    const [restaurantId, otherId] = [await app.idOf(restaurant), await app.idOf(other)]
    const [code = ''] = await codesOf(restaurant.manager)
    expect([await leftOf(restaurant.manager), await leftOf(restaurant.owner)]).toEqual([10, 0])
    const managers = await app.ctx.db.reader.selectFrom('manager').selectAll().execute()
    const id = managers.find((manager) => manager.restaurantId === restaurantId)?.id ?? ''
    const use = (subject: Parameters<typeof redeemRecoveryCode>[2], given = code) =>
      write(app.ctx, ({ db }) => redeemRecoveryCode(app.ctx, db, subject, given))
    expect(await use({ restaurantId: otherId, kind: 'manager', id })).toBe(false)
    expect(await use({ restaurantId, kind: 'owner', id })).toBe(false)
    expect(await use({ restaurantId, kind: 'manager', id }, '')).toBe(false)
    const mine = { restaurantId, kind: 'manager' as const, id }
    const used = await Promise.all(Array.from({ length: 8 }, () => use(mine)))
    expect(used.filter(Boolean)).toHaveLength(1)
    expect(await leftOf(restaurant.manager)).toBe(9)
  })

  it('may be typed in any case, with other dashes, and with letters instead of digits', async () => {
    const restaurant = await open()
    const restaurantId = await app.idOf(restaurant)
    const [first = '', second = '', third = ''] = await codesOf(restaurant.manager)
    const [{ id } = { id: '' }] = await app.ctx.db.reader
      .selectFrom('manager')
      .select('id')
      .where('restaurantId', '=', restaurantId)
      .execute()
    const spellings = [
      codeFromTyped(first),
      second.replaceAll('-', '–').replaceAll('0', 'o').replaceAll('1', 'l'),
      third.replaceAll('-', '').replaceAll('1', 'I').replaceAll('0', 'O'),
    ]
    for (const code of spellings)
      expect(
        await write(app.ctx, ({ db }) =>
          redeemRecoveryCode(app.ctx, db, { restaurantId, kind: 'manager', id }, code),
        ),
      ).toBe(true)
  })
})

describe('a forgotten password', () => {
  it('of an owner is replaced with a code, which ends all logins and notifies the owner', async () => {
    const [restaurant, other] = [await open(), await open()]
    const [code = '', next = ''] = await codesOf(restaurant.owner)
    const sockets = [await restaurant.owner.connect(), await restaurant.device.connect()]
    const elsewhereOpen = await other.device.connect()
    await create(app.ctx, app.url, restaurant.name)
    expect((await byCode({ restaurantName: restaurant.name, code })).status).toBe(204)
    expect(await Promise.all(sockets.map((socket) => socket.closed))).toEqual([4401, 4401])
    expect(await Promise.all([currentGrants(restaurant.owner), currentGrants(restaurant.device)])).toEqual([
      [],
      [],
    ])
    expect([await currentGrants(restaurant.manager), await currentGrants(other.device)]).toEqual([
      ['manager'],
      ['device'],
    ])
    expect(elsewhereOpen.received.map(({ type }) => type)).not.toContain('error')
    expect(await currentGrants(await login(restaurant, password))).toEqual([])
    const owner = await login(restaurant, newPassword)
    expect(await noticesOf(owner)).toEqual(['password-reset-by-code'])
    expect(await app.ctx.db.reader.selectFrom('passwordReset').selectAll().execute()).toEqual([])
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    expect(entries[0]).toMatchObject({
      action: 'recovery.resetPassword',
      actorKind: 'system',
      detail: { who: 'owner', by: 'recovery code' },
    })
    expect(app.lines.some((line) => line.includes('"security":"recovery-used"'))).toBe(true)
    const logged = app.lines.join('\n')
    for (const secret of [code, code.replaceAll('-', ''), newPassword]) expect(logged).not.toContain(secret)

    expect(
      (await byCode({ restaurantName: restaurant.email, code: next, password: 'pewter-bell-9' })).status,
    ).toBe(204)
    expect(await currentGrants(await login(restaurant, 'pewter-bell-9'))).toEqual(['owner'])
  })

  it('of a manager is replaced with a code of theirs, and the owner is notified', async () => {
    const restaurant = await open()
    const [code = ''] = await codesOf(restaurant.manager)
    const input = { restaurantName: restaurant.name, username: 'BOSS', code }
    const socket = await restaurant.manager.connect()
    expect((await byCode({ ...input, username: 'nobody' })).status).toBe(401)
    expect((await byCode(input)).status).toBe(204)
    expect(await socket.closed).toBe(4401)
    expect([await currentGrants(restaurant.manager), await currentGrants(restaurant.owner)]).toEqual([
      [],
      ['device', 'owner'],
    ])
    expect(await noticesOf(restaurant.owner)).toEqual(['manager-password-reset boss', 'no-recovery-codes'])
    const manager = app.browser()
    const body = { restaurantName: restaurant.name, username: 'boss', password: newPassword }
    await manager.ok(api.managers.login, { body })
    expect(await leftOf(manager)).toBe(9)
  })

  it('does not reveal which accounts exist', async () => {
    const restaurant = await open()
    const [code = ''] = await codesOf(restaurant.owner)
    await byCode({ restaurantName: restaurant.name, code })
    const wrongInputs = [
      { restaurantName: restaurant.name, code },
      { restaurantName: restaurant.name, code: 'AAAA-BBBB-CCCC-DDDD' },
      { restaurantName: restaurant.email, code: 'x' },
      { restaurantName: 'Nobody Here', code: 'AAAA-BBBB-CCCC-DDDD' },
      { restaurantName: restaurant.name, username: 'boss', code },
      { restaurantName: restaurant.name, username: 'nobody', code },
    ]
    for (const input of wrongInputs) {
      expect(await byCode(input)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated', message: 'This recovery code does not fit, or was used already' },
      })
    }
    const address = uniqueAddress()
    for (let tries = 0; tries < 5; tries++)
      expect(
        (await byCode({ restaurantName: restaurant.name, code: `guess ${tries}` }, address)).status,
      ).toBe(401)
    expect((await byCode({ restaurantName: restaurant.name, code: 'guess' }, address)).status).toBe(429)
  })

  it('is replaced with a right code however many wrong ones came from its address', async () => {
    const restaurant = await open()
    const [code = ''] = await codesOf(restaurant.owner)
    const address = uniqueAddress()
    const enter = (given: string) => byCode({ restaurantName: restaurant.name, code: given }, address)
    for (let tries = 0; tries < 6; tries++) await enter(`guess ${tries}`)
    expect((await enter('guess')).status).toBe(429)
    expect((await enter(code)).status).toBe(204)
  })

  it('is not replaced by one that is easy to guess, and the code stays valid', async () => {
    const { name, email, owner } = await open()
    const [code = ''] = await codesOf(owner)
    for (const weak of [name, email, 'sunshine', '12345'])
      expect((await byCode({ restaurantName: name, code, password: weak })).status).toBe(400)
    expect(await leftOf(owner)).toBe(10)
  })

  it('is replaced once when two use a code at the same time', async () => {
    const { name, owner } = await open()
    const [code = ''] = await codesOf(owner)
    const answers = await Promise.all([1, 2, 3].map(() => byCode({ restaurantName: name, code })))
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['204', '401', '401'])
  })
})

describe('a link made on the server', () => {
  const make = async (named: string): Promise<string> => {
    const created = await create(app.ctx, app.url, named)
    if (created.kind !== 'made') throw new Error(created.kind)
    expect(created.link).toMatch(/\/reset-password#[\w-]{32}$/u)
    return created.link.split('#')[1] ?? ''
  }
  const follow = (token: string, word = newPassword) =>
    postFrom(app.browser(), '/api/reset-password', { token, password: word })

  it('sets a new password once, ends all logins, and notifies the owner', async () => {
    const restaurant = await open()
    const token = await make(` ${restaurant.email.toUpperCase()} `)
    const rows = await app.ctx.db.reader.selectFrom('passwordReset').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(app.lines.join('\n')).not.toContain(token)
    const socket = await restaurant.device.connect()
    expect((await follow(token, restaurant.name)).status).toBe(400)
    const answers = await Promise.all([follow(token), follow(token)])
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['204', '401'])
    expect(await socket.closed).toBe(4401)
    expect(await Promise.all([currentGrants(restaurant.owner), currentGrants(restaurant.device)])).toEqual([
      [],
      [],
    ])
    const owner = await login(restaurant, newPassword)
    expect(await noticesOf(owner)).toEqual(['password-reset-by-link', 'no-recovery-codes'])
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    expect(entries.slice(0, 2).map(({ action }) => action)).toEqual([
      'recovery.resetPassword',
      'recovery.createLink',
    ])
    expect((await follow(token)).status).toBe(401)
  })

  it('is valid for half an hour, and only the latest one', async () => {
    const { name } = await open()
    const [first, second] = [await make(name), await make(name)]
    expect((await follow(first)).status).toBe(401)
    app.advance(30 * minuteMs)
    expect(await follow(second)).toMatchObject({
      status: 401,
      body: { message: 'This link is too old, or was used already. Please ask for a new one.' },
    })
    const third = await make(name)
    app.advance(29 * minuteMs)
    expect((await follow(third)).status).toBe(204)
  })

  it('is accepted however many wrong ones came from its address', async () => {
    const token = await make((await open()).name)
    const address = uniqueAddress()
    const tryToken = (given: string) =>
      postFrom(app.browser(), '/api/reset-password', { token: given, password: newPassword }, address)
    for (let tries = 0; tries < 6; tries++) await tryToken('x'.repeat(32))
    expect((await tryToken('x'.repeat(32))).status).toBe(429)
    expect((await tryToken(token)).status).toBe(204)
  })

  it('is for one restaurant: if an address owns several, they are listed', async () => {
    const [first, second] = [await app.restaurant(), await app.restaurant()]
    const created = await create(app.ctx, app.url, 'owner@example.com')
    expect(created).toMatchObject({
      kind: 'several',
      restaurantNames: expect.arrayContaining([first.name, second.name]),
    })
    expect(await create(app.ctx, app.url, 'nobody@example.com')).toEqual({ kind: 'unknown' })
    expect(await create(app.ctx, app.url, first.name.toUpperCase())).toMatchObject({
      kind: 'made',
      restaurantName: first.name,
    })
  })
})
