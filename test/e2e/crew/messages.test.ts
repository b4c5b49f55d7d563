import { expect, it } from 'vitest'
import { notesOf, openContact, setUpMessages } from '../pages/message-screens.ts'
import { overflowingElements, lastingViolations } from '../support/accessibility.ts'
import { takeScreenshots, viewports } from '../support/screenshots.ts'

const { openRestaurant, screenOf } = setUpMessages()

it('opens the names at the first tap on a phone, and fits phones and tablets', async () => {
  const restaurant = await openRestaurant()
  const page = await screenOf(restaurant, 'Maya Lindqvist', viewports.phone)
  await page.getByRole('button', { name: 'Messages' }).click()
  await openContact(page, 'Jonas Weber')
  await page.getByPlaceholder('Type a message...').fill('On my way')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('log').getByText('On my way').waitFor()
  expect(await overflowingElements(page, 320)).toEqual([])
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'messages')
})

it('counts unread messages on the phone, plays a different chime, and asks about a table', async () => {
  const restaurant = await openRestaurant()
  const [maya, sam] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Sam Keller', viewports.phone),
  ]
  const tab = sam.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Messages' })
  const tunes = await notesOf(sam)
  await openContact(maya, 'Sam Keller')
  const write = async (text: string): Promise<void> => {
    await maya.getByPlaceholder('Type a message...').fill(text)
    await maya.getByRole('button', { name: 'Send' }).click()
  }
  await write('Can you clear the terrace?')
  await sam.getByRole('button', { name: 'Messages 1 new', exact: true }).waitFor()
  await expect.poll(tunes).toEqual([587.3, 440])
  // The next does not begin while it is still playing.
  await sam.waitForFunction(() => Reflect.get(window, 'sounding') === 0)
  await maya.getByRole('button', { name: 'Back to contacts' }).click()
  await maya.getByLabel('About table').selectOption('2')
  await maya.getByText('Any Busser').locator('..').getByRole('button', { name: 'Quick messages' }).click()
  await maya.getByText('To any Busser, about table 2').waitFor()
  await maya.getByRole('button', { name: 'Table ready to be cleared' }).click()
  const call = sam.getByRole('listitem').filter({ hasText: 'Maya asks any Busser' })
  await call.getByRole('heading', { name: 'Table 2 Table ready to be cleared' }).waitFor()
  await sam.getByRole('button', { name: 'Messages 1 new', exact: true }).waitFor()
  await expect.poll(tunes).toEqual([587.3, 440, 587.3, 440, 587.3])
  expect(await lastingViolations(sam)).toEqual([])
  await takeScreenshots(sam, 'messages-unread', ['phone'])

  await call.getByRole('button', { name: "I'll do it" }).click()
  await call.waitFor({ state: 'detached' })
  await tab.click()
  await openContact(sam, 'Maya Lindqvist')
  await sam.getByRole('log').getByText('Can you clear the terrace?').waitFor()
  await sam.getByRole('button', { name: 'Messages', exact: true }).waitFor()

  // Messages in an open conversation stay unread while another section hides it.
  await sam.getByRole('button', { name: 'Requests', exact: true }).click()
  await openContact(maya, 'Sam Keller')
  await write('Thank you!')
  await sam.getByRole('button', { name: 'Messages 1 new', exact: true }).waitFor()
  await tab.click()
  await sam.getByRole('button', { name: 'Messages', exact: true }).waitFor()
})
