import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'

/** No screen ever connects here: when one leaves, the server writes that a little later, and would be counted. */
const app = setUpApp({ guestLimits: false })

it('writes nothing when the code of a closed table is scanned again, or where no tables are set up', async () => {
  const [restaurant, bare] = [await app.restaurant({ tables: ['4', '7'] }), await app.restaurant()]
  for (const { owner } of [restaurant, bare])
    await owner.ok(api.restaurant.change, { body: { seating: true } })
  const transact = vi.spyOn(app.ctx.db, 'transact')
  onTestFinished(() => transact.mockRestore())
  // What owners do keeps their sign-in alive by a write of its own, so their codes are read beforehand.
  const scanOf = async ({ name, owner }: { name: string; owner: TestBrowser }) => {
    const { guestLink } = await owner.ok(api.restaurant.settings, {})
    const k = new URL(guestLink).searchParams.get('k') ?? ''
    return `/customer?${new URLSearchParams({ r: name, t: '7', k }).toString()}`
  }
  const [seated, open] = [await scanOf(restaurant), await scanOf(bare)]
  const writesOf = async (scan: string) => {
    await app.whenIdle()
    const before = transact.mock.calls.length
    await app.browser().fetch(scan)
    await app.whenIdle()
    return transact.mock.calls.length - before
  }
  expect([await writesOf(seated), await writesOf(seated), await writesOf(open)]).toEqual([1, 0, 0])
  app.advance(5 * 60_000 + 1)
  expect(await writesOf(seated)).toBe(1)
})
