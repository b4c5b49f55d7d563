import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../support/app.ts'

const app = setUpApp()

it('whether an owner is signed in may be asked by anybody without a line in the security log', async () => {
  const { name, owner, device } = await app.restaurant()
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  const from = app.lines.length
  for (const browser of [device, manager, app.browser()])
    expect((await browser.call(api.accounts.currentUser, {})).status).toBe(401)
  // What they may not do is still a line.
  expect((await device.call(api.crew.list, {})).status).toBe(403)
  const refused = app.lines.slice(from).filter((line) => line.includes('"refused-by-right"'))
  expect(refused.map((line): unknown => JSON.parse(line))).toMatchObject([{ call: 'GET /api/crew' }])
})
