import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password } from '../../../../../test/support/app.ts'
import { setUpOutsideReceivers } from '../../../../../test/support/outside/outside-receivers.ts'
import { currentCode } from '../../../../../test/support/restaurants/authenticator.ts'
import * as resetLink from './reset-link.ts'

const outside = setUpOutsideReceivers()
const minutes = 60_000
const newPassword = 'silver-kettle-7'

async function askForLink(restaurantName: string) {
  const { app, mails } = outside
  await app.whenIdle()
  const before = mails.received.length
  const answer = await app.browser().call(api.recovery.sendLink, { body: { restaurantName } })
  await app.whenIdle()
  const received = mails.received.slice(before)
  return { answer, received, tokens: received.map(({ text }) => /#([\w-]{32})/u.exec(text)?.[1] ?? '') }
}

const follow = (token = '', browser = outside.app.browser()) =>
  browser.call(api.recovery.byLink, { body: { token, password: newPassword } })

describe('an owner who forgot the password', () => {
  it('gets a link by email that sets a new one, once, and ends every sign-in', async () => {
    const { app } = outside
    const { owner, device, name } = await app.restaurant()
    const { answer, received, tokens } = await askForLink(name)
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(received).toMatchObject([{ to: ['owner@example.com'], subject: `${name}: set a new password` }])
    expect(received[0]?.text).toContain(`${app.ctx.settings.publicUrl}/reset-password#`)

    expect((await follow(tokens[0])).status).toBe(204)
    expect((await follow(tokens[0])).status).toBe(401)
    expect((await owner.call(api.accounts.currentUser, {})).status).toBe(401)
    expect((await device.call(api.accounts.session, {})).status).toBe(401)
    const browser = app.browser()
    await browser.ok(api.accounts.ownerLogin, { body: { username: name, password: newPassword } })
    expect(await browser.ok(api.recovery.notices, {})).toMatchObject([
      { kind: 'password-reset-by-email' },
      { kind: 'no-recovery-codes' },
    ])
    const { entries } = await browser.ok(api.audit.list, {})
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['recovery.mailLink', 'recovery.resetPassword']),
    )
    const stored = await app.ctx.db.reader.selectFrom('auditEntry').selectAll().execute()
    for (const token of tokens) expect(JSON.stringify(stored) + app.lines.join('')).not.toContain(token)
  })

  it('makes it worthless by changing the password', async () => {
    const { app } = outside
    const { owner, name } = await app.restaurant()
    // Also from another restaurant of theirs.
    const { id } = await owner.ok(api.ownRestaurants.add, { body: { restaurantName: `Second of ${name}` } })
    await owner.ok(api.ownRestaurants.switchTo, { params: { id } })
    const { tokens } = await askForLink(name)
    const proof = { body: { password } }
    await owner.ok(api.accounts.confirmIdentity, proof)
    const body = { password: 'lantern-at-dusk-43', currentPassword: password }
    await owner.ok(api.accounts.setPassword, { body })
    expect((await follow(tokens[0])).status).toBe(401)
  })

  it('gets one for each restaurant of the address', async () => {
    const { app } = outside
    const [first, second] = [await app.restaurant(), await app.restaurant()]
    const { received, tokens } = await askForLink(' OWNER@example.com ')
    expect(received.map(({ subject }) => subject).toSorted()).toEqual(
      [first, second].map(({ name }) => `${name}: set a new password`).toSorted(),
    )
    expect(new Set(tokens).size).toBe(2)
  })

  it('learns nothing about whether there is such an account', async () => {
    const { name } = await outside.app.restaurant()
    const [known, unknown] = [await askForLink(name), await askForLink('nobody@example.com')]
    expect(unknown.received).toEqual([])
    expect([unknown.answer.status, unknown.answer.body]).toEqual([known.answer.status, known.answer.body])
  })

  it('has 30 minutes, and the latest link counts', async () => {
    const { app } = outside
    const { name } = await app.restaurant()
    const [first, second] = [await askForLink(name), await askForLink(name)]
    expect((await follow(first.tokens[0])).status).toBe(401)
    app.advance(30 * minutes)
    expect((await follow(second.tokens[0])).status).toBe(401)
    const third = await askForLink(name)
    app.advance(30 * minutes - 1)
    expect((await follow(third.tokens[0])).status).toBe(204)
  })

  it('gets at most three mails an hour, and a caller asks at most twenty times', async () => {
    const { name } = await outside.app.restaurant()
    const counts = []
    for (let asked = 0; asked < 5; asked++) counts.push((await askForLink(name)).received.length)
    expect(counts).toEqual([1, 1, 1, 0, 0])
    for (let asked = 5; asked < 20; asked++) await askForLink('nobody')
    expect((await askForLink('nobody')).answer.status).toBe(429)
  })

  it('gets a link although others have used up the mails of the address', async () => {
    const { app } = outside
    const { name } = await app.restaurant()
    const others = []
    for (let opened = 0; opened < 7; opened++) {
      app.advance(1)
      others.push((await app.restaurant()).name)
    }
    for (const other of [...others, ...others]) await askForLink(other)
    expect((await askForLink(others.at(-1) ?? '')).received).toEqual([])
    expect((await follow((await askForLink(name)).tokens[0])).status).toBe(204)
    app.advance(30 * minutes)
    expect((await askForLink(name)).received).toHaveLength(1)
  })

  it('gets at most ten mails for the restaurants of one address, however many it was given for', async () => {
    const counts = []
    for (let opened = 0; opened < 12; opened++) {
      outside.app.advance(1)
      const { name } = await outside.app.restaurant()
      counts.push((await askForLink(name)).received.length)
    }
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
  })

  it('gets a link that is not stored as the operator’s links are', async () => {
    const { app } = outside
    const { tokens } = await askForLink((await app.restaurant()).name)
    const stored = await app.ctx.db.reader.selectFrom('passwordReset').select('tokenHash').execute()
    expect(stored).toHaveLength(1)
    expect(stored).not.toEqual([{ tokenHash: app.ctx.secrets.digest(tokens[0] ?? '') }])
  })

  it('keeps a valid link of the operator, and still needs the second factor', async () => {
    const { app } = outside
    const { name, owner } = await app.restaurant()
    const made = await resetLink.create(app.ctx, 'https://x', name)
    expect((await askForLink(name)).received).toEqual([])
    const [, token] = (made.kind === 'made' ? made.link : '').split('#')
    app.advance(30 * minutes)

    await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    const { secret } = await owner.ok(api.secondFactors.beginAuthenticator, {})
    await owner.ok(api.secondFactors.turnAuthenticatorOn, { body: { code: currentCode(secret, app.now()) } })
    expect((await follow(token)).status).toBe(401)
    expect((await follow((await askForLink(name)).tokens[0])).status).toBe(204)
    const login = { username: name, password: newPassword }
    expect((await app.browser().call(api.accounts.ownerLogin, { body: login })).body).toMatchObject({
      code: 'second_factor_required',
    })
  })
})

describe('an owner’s email address', () => {
  const change = async (to: string, confirmWith?: string) => {
    const { app } = outside
    const restaurant = await app.restaurant()
    await restaurant.owner.ok(api.ownerEmail.begin, { body: { email: to } })
    const confirm = (code: string) => restaurant.owner.call(api.ownerEmail.confirm, { body: { code } })
    const answer = await confirm(confirmWith ?? outside.lastCode())
    await app.whenIdle()
    return { ...restaurant, answer, confirm }
  }

  it('changes when the code from the new one is entered, and the old one is told', async () => {
    const { app, mails } = outside
    const { name, owner, answer, confirm } = await change('new@example.com')
    expect(answer).toMatchObject({ status: 200, body: { email: 'new@example.com' } })
    expect(mails.received.map(({ to, subject }) => [...to, subject])).toEqual([
      ['new@example.com', `${name}: confirm this address`],
      ['owner@example.com', `${name}: your email address was changed`],
    ])
    expect((await owner.ok(api.accounts.currentUser, {})).email).toBe('new@example.com')
    const login = (username: string) =>
      app.browser().call(api.accounts.ownerLogin, { body: { username, password } })
    expect((await login('new@example.com')).status).toBe(200)
    expect((await login('owner@example.com')).status).toBe(401)
    expect(await owner.ok(api.recovery.notices, {})).toMatchObject([
      { kind: 'email-changed' },
      { kind: 'no-recovery-codes' },
    ])
    expect((await confirm(outside.lastCode() || '123456')).status).toBe(409)
  })

  it('is told of at home, whichever of several restaurants it is changed in', async () => {
    const { app } = outside
    const home = await app.restaurant()
    const { owner } = home
    const added = await owner.ok(api.ownRestaurants.add, { body: { restaurantName: `${home.name} too` } })
    const enter = async (id: string) => {
      await owner.ok(api.ownRestaurants.switchTo, { params: { id } })
      await owner.ok(api.accounts.confirmIdentity, { body: { password } })
    }
    await enter(added.id)
    await owner.ok(api.ownerEmail.begin, { body: { email: 'new@example.com' } })
    await owner.ok(api.ownerEmail.confirm, { body: { code: outside.lastCode() } })
    await enter(await app.idOf(home))
    expect((await owner.ok(api.recovery.notices, {})).map(({ kind }) => kind)).toContain('email-changed')
  })

  it('stays as it is with a wrong code, and after five of them', async () => {
    const { owner, confirm } = await change('new@example.com')
    await owner.ok(api.ownerEmail.begin, { body: { email: 'third@example.com' } })
    const code = outside.lastCode()
    const wrong = code === '111111' ? '222222' : '111111'
    for (let attempt = 0; attempt < 5; attempt++) expect((await confirm(wrong)).status).toBe(400)
    expect((await confirm(code)).status).toBe(409)
    expect((await owner.ok(api.accounts.currentUser, {})).email).toBe('new@example.com')
  })

  it('takes with it the links that were mailed to it', async () => {
    const { app } = outside
    const { name, owner } = await app.restaurant()
    const { tokens } = await askForLink(name)
    await owner.ok(api.ownerEmail.begin, { body: { email: 'new@example.com' } })
    await owner.ok(api.ownerEmail.confirm, { body: { code: outside.lastCode() } })
    expect((await follow(tokens[0])).status).toBe(401)
    expect((await askForLink(name)).received).toMatchObject([{ to: ['new@example.com'] }])
  })

  it('is changed only shortly after signing in', async () => {
    const { owner } = await outside.app.restaurant()
    outside.app.advance(16 * minutes)
    const body = { email: 'new@example.com' }
    expect((await owner.call(api.ownerEmail.begin, { body })).body).toMatchObject({
      code: 'recent_sign_in_required',
    })
  })
})
