import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { connectScreen } from '../../support/pages/crew-view.ts'
import { addCrew, assignTables, today } from '../../support/restaurants/busy-restaurant.ts'
import { openCrewScreen } from '../pages/crew-screen.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp({ guestLimits: false, scheduler: 'manual' })

it('shows a crew member another name and other tables on the screen that is open', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '7'] })
  const maya = await addCrew(restaurant.owner, 'Maya Chen')
  const assign = (pairs: Record<string, string>) =>
    assignTables({ ...restaurant, ids: { Maya: maya.id } }, today, pairs)
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.desktop })
  const own = page.getByRole('list', { name: 'My tables' }).getByRole('listitem')
  expect(await own.count()).toBe(0)
  await assign({ 7: 'Maya' })
  await expect.poll(() => own.allInnerTexts()).toEqual(['7'])
  await assign({ 4: 'Maya' })
  await expect.poll(() => own.allInnerTexts()).toEqual(['4', '7'])
  await assign({ 7: '' })
  await expect.poll(() => own.allInnerTexts()).toEqual(['4'])

  await restaurant.owner.ok(api.crew.change, { params: { id: maya.id }, body: { name: 'Maja Chen' } })
  await page.getByText('Maja Chen, Server').waitFor()
})

it('reads out how many messages are unread', async () => {
  const restaurant = await app.restaurant({ tables: ['4'] })
  const [maya, jonas] = [
    await addCrew(restaurant.owner, 'Maya Chen'),
    await addCrew(restaurant.owner, 'Jonas Berg'),
  ]
  const page = await openCrewScreen(app, restaurant, { name: 'Maya Chen', viewport: viewports.desktop })
  const colleague = await connectScreen(restaurant.device, jonas.id)
  const write = (messageText: string) =>
    colleague.request({ type: 'send-team-message', targetCrewId: maya.id, messageText })
  await write('Table 4 is yours')
  await page.getByRole('status').getByText('1 unread message', { exact: true }).waitFor({ state: 'attached' })
  await write('Thank you')
  await page
    .getByRole('status')
    .getByText('2 unread messages', { exact: true })
    .waitFor({ state: 'attached' })
})
