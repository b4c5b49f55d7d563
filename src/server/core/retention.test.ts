import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { password, startTestApp, type TestApp, type TestSocket } from '../../../test/support/app.ts'
import { removeExpiredData } from './retention.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

it('keeps messages between colleagues for 30 days', async () => {
  const { name: restaurantName, owner } = await app.restaurant()
  const hire = (name: string) => owner.ok(api.crew.add, { body: { name, role: 'Server' } })
  const [maya, jonas] = [await hire('Maya'), await hire('Jonas')]
  const screenOfMaya = async (): Promise<TestSocket> => {
    const device = app.browser()
    await device.ok(api.accounts.restaurantLogin, { body: { restaurantName, password } })
    const screen = await device.connect()
    await screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
    return screen
  }
  const write = async (messageText: string): Promise<void> => {
    const screen = await screenOfMaya()
    await screen.request({ type: 'send-team-message', targetCrewId: jonas.id, messageText })
  }
  const written = async (): Promise<unknown> => {
    const screen = await screenOfMaya()
    screen.send({ type: 'get-team-messages' })
    const { messages } = await screen.next('team-messages-history')
    return messages.map(({ messageText }) => messageText)
  }

  await write('Table 4 please')
  app.advance(20 * dayMs)
  await write('Thank you')
  app.advance(10 * dayMs + 60_000)
  await removeExpiredData(app.ctx)
  expect(await written()).toEqual(['Thank you'])
  app.advance(20 * dayMs)
  await removeExpiredData(app.ctx)
  expect(await written()).toEqual([])
})
