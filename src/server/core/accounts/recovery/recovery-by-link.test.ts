import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { currentCode } from '../../../../../test/support/restaurants/authenticator.ts'
import { currentGrants } from '../../../../../test/support/restaurants/logins.ts'
import { SoftwareAuthenticator } from '../../../../../test/support/restaurants/software-authenticator.ts'
import { create } from './reset-link.ts'

const app = setUpApp({ scheduler: 'manual' })

type Opened = Awaited<ReturnType<typeof app.restaurant>>

async function addPasskey(owner: TestBrowser, name = 'Phone'): Promise<void> {
  const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
  const credential = authenticator.create(await owner.ok(api.passkeys.setUp, {}))
  await owner.ok(api.passkeys.add, { body: { name, credential } })
}

describe('an owner who recovers the account by the operator’s link', () => {
  async function recover({ name }: Opened): Promise<TestBrowser> {
    const made = await create(app.ctx, app.url, name)
    const token = made.kind === 'made' ? (made.link.split('#')[1] ?? '') : ''
    const body = { token, password: 'silver-kettle-7' }
    await app.browser().ok(api.recovery.byLink, { body })
    const owner = app.browser()
    await owner.ok(api.accounts.ownerLogin, { body: { username: name, password: body.password } })
    return owner
  }

  const turnOnApp = async (owner: TestBrowser) => {
    const { secret } = await owner.ok(api.secondFactors.beginAuthenticator, {})
    await owner.ok(api.secondFactors.turnAuthenticatorOn, { body: { code: currentCode(secret, app.now()) } })
  }

  const readAbout = async (owner: TestBrowser) => {
    const { entries } = await owner.ok(api.audit.list, {})
    const [notice] = await owner.ok(api.recovery.notices, {})
    return { notice: [notice?.kind, notice?.about], entries }
  }

  it('cannot after the password was changed', async () => {
    const { owner, name } = await app.restaurant()
    const made = await create(app.ctx, app.url, name)
    const token = made.kind === 'made' ? (made.link.split('#')[1] ?? '') : ''
    const body = { password: 'lantern-at-dusk-43', currentPassword: password }
    await owner.ok(api.accounts.setPassword, { body })
    const followed = await app
      .browser()
      .call(api.recovery.byLink, { body: { token, password: 'silver-kettle-7' } })
    expect(followed.status).toBe(401)
  })

  it('reads in the notice and in the activity log which second factors it removed', async () => {
    const restaurant = await app.restaurant()
    await turnOnApp(restaurant.owner)
    await addPasskey(restaurant.owner, 'My phone')
    const { notice, entries } = await readAbout(await recover(restaurant))
    expect(notice).toEqual(['password-reset-by-link', 'authenticator-and-passkeys'])
    const of = 'owner@example.com'
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'recovery.resetPassword', actorKind: 'system', detail: { who: 'owner', by: 'link' } },
      { action: 'passkeys.remove', actorKind: 'system', detail: { of, name: 'My phone', by: 'link' } },
      { action: 'authenticator.turnOff', actorKind: 'system', detail: { of, by: 'link' } },
    ])
    expect(app.lines.join('')).toContain('second factor removed: authenticator-and-passkeys')
  })

  it('reads nothing of second factors that there were not', async () => {
    const [withApp, withPasskey, without] = [
      await app.restaurant(),
      await app.restaurant(),
      await app.restaurant(),
    ]
    await turnOnApp(withApp.owner)
    await addPasskey(withPasskey.owner)
    const about = []
    for (const restaurant of [withApp, withPasskey, without])
      about.push((await readAbout(await recover(restaurant))).notice[1])
    expect(about).toEqual(['authenticator', 'passkeys', null])
  })

  it('finds the managers still signed in, who have passwords of their own', async () => {
    const restaurant = await app.restaurant()
    await restaurant.owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const manager = app.browser()
    await manager.ok(api.managers.login, {
      body: { restaurantName: restaurant.name, username: 'boss', password },
    })
    await recover(restaurant)
    expect(await currentGrants(manager)).toEqual(['manager'])
    expect(await currentGrants(restaurant.device)).toEqual([])
  })
})
