import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { screenOf as screenIn } from '../pages/languages.ts'
import { notesOf, openContact, setUpMessages } from '../pages/message-screens.ts'
import { smallTargets, lastingViolations } from '../support/accessibility.ts'
import { openTab } from '../support/browser.ts'
import { recordToasts } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const { app, openRestaurant, screenOf } = setUpMessages()

it('a crew member gives their name, finds contacts, sends messages that arrive live and once, and withdraws them', async () => {
  const restaurant = await openRestaurant()
  const [maya, jonas] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Jonas Weber'),
  ]
  const panel = maya.getByRole('region', { name: 'Messages' })
  await panel.getByRole('heading', { name: 'ALL CONTACTS' }).waitFor()
  expect(await panel.getByRole('heading', { name: 'RECENT' }).count()).toBe(0)
  const search = panel.getByPlaceholder('Search contacts...')
  await search.fill('sam')
  await expect
    .poll(() => panel.getByRole('listitem').allInnerTexts())
    .toEqual([expect.stringContaining('Sam Keller')])
  await search.fill('nobody at all')
  await panel.getByText('No contacts found').waitFor()
  expect(await lastingViolations(maya)).toEqual([])
  await search.fill('')

  await openContact(maya, 'Jonas Weber')
  await maya.getByText('No messages yet. Start a conversation!').waitFor()
  const box = maya.getByPlaceholder('Type a message...')
  await box.fill('Table 4')
  await box.press('Shift+Enter')
  await box.pressSequentially('needs <b>you</b>')
  await box.press('Enter')
  await maya.getByRole('button', { name: 'Quick messages' }).click()
  await expect
    .poll(() => maya.getByRole('dialog').getByRole('heading', { level: 3 }).allInnerTexts())
    .toEqual(['Service', 'Kitchen', 'General', 'Issues', 'Host', 'Closing'])
  await maya.getByRole('button', { name: 'Food ready for pickup' }).click()
  await maya.getByRole('dialog').waitFor({ state: 'detached' })

  await jonas.getByText('2 new').first().waitFor()
  await jonas.getByRole('region', { name: 'RECENT' }).getByRole('button', { name: 'Maya Lindqvist' }).click()
  const log = jonas.getByRole('log')
  await log.getByText('Food ready for pickup').waitFor()
  await expect
    .poll(() => log.getByRole('listitem').first().innerText())
    .toMatch(/^Table 4\nneeds <b>you<\/b>\s+\d+[sm] ago$/)
  expect(await log.getByRole('button', { name: 'Delete message' }).count()).toBe(0)

  const own = maya.getByRole('log').getByRole('listitem').first()
  // It leaves a line that moves the others.
  await maya.getByText('Sending…').waitFor({ state: 'detached' })
  const bubble = await own.getByText('Table 4').boundingBox()
  if (!bubble) throw new Error('The message is not on the screen')
  await maya.mouse.move(bubble.x + 60, bubble.y + 10)
  await maya.mouse.down()
  await maya.mouse.move(bubble.x + 20, bubble.y + 10, { steps: 4 })
  await maya.mouse.up()
  expect(await maya.getByRole('log').getByRole('listitem').count()).toBe(2)
  await maya.mouse.move(bubble.x + 60, bubble.y + 10)
  await maya.mouse.down()
  await maya.mouse.move(bubble.x - 10, bubble.y + 10, { steps: 4 })
  await maya.mouse.up()
  await log.getByText('needs').waitFor({ state: 'detached' })
  await maya.getByRole('log').getByText('needs').waitFor({ state: 'detached' })
  await maya.getByRole('button', { name: 'Delete message' }).click()
  await jonas.getByText('No messages yet. Start a conversation!').waitFor()
  expect(await lastingViolations(maya)).toEqual([])
  expect(await smallTargets(maya, 44)).toEqual([])
})

it('shows a quick message to each in their own language, whoever sent it', async () => {
  const restaurant = await openRestaurant()
  const maya = await screenOf(restaurant, 'Maya Lindqvist')
  const jonas = await screenIn(app, restaurant, 'Jonas Weber', 'Elegir nombre', {
    locale: 'es-ES',
    viewport: viewports.desktop,
  })
  await openContact(maya, 'Jonas Weber')
  await maya.getByRole('button', { name: 'Quick messages' }).click()
  await maya.getByRole('button', { name: 'Food ready for pickup' }).click()
  await jonas
    .getByRole('region', { name: 'RECIENTES' })
    .getByRole('button', { name: 'Maya Lindqvist' })
    .click()
  await jonas.getByRole('log').getByText('Comida lista para recoger').waitFor()

  await jonas.getByRole('button', { name: 'Mensajes rápidos' }).click()
  await jonas.getByRole('button', { name: 'Necesito ayuda en mi zona' }).click()
  await jonas.getByRole('log').getByText('Necesito ayuda en mi zona').waitFor()
  const log = maya.getByRole('log')
  await log.getByText('Need help at my station').waitFor()
  await log.getByText('Food ready for pickup').waitFor()
})

it('sends what was written while the server was away, once', async () => {
  const restaurant = await openRestaurant()
  const [maya, jonas] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Jonas Weber'),
  ]
  await openContact(maya, 'Jonas Weber')
  await app.pause()
  await maya.getByText('Reconnecting…').waitFor()
  await maya.getByPlaceholder('Type a message...').fill('Are you there?')
  await maya.getByRole('button', { name: 'Send' }).click()
  await maya.getByText('Sending…').waitFor()
  await app.start()
  await jonas.getByText('1 new').first().waitFor()
  await openContact(jonas, 'Maya Lindqvist')
  await expect.poll(() => jonas.getByRole('log').getByRole('listitem').count()).toBe(1)
  await maya.getByText('Sending…').waitFor({ state: 'detached' })
  await expect.poll(() => maya.getByRole('log').getByRole('listitem').count()).toBe(1)
})

it('a call to any Busser repeats after 20 seconds until one takes it, and disturbs nobody else', async () => {
  const restaurant = await openRestaurant()
  await restaurant.owner.ok(api.crew.add, { body: { name: 'Ben Okafor', role: 'Busser' } })
  const [maya, sam, jonas, ben] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Sam Keller'),
    await screenOf(restaurant, 'Jonas Weber'),
    await screenOf(restaurant, 'Ben Okafor', viewports.phone),
  ]
  const [heardBySam, heardByJonas] = [await notesOf(sam), await notesOf(jonas)]
  const [toldMaya, toldSam] = [await recordToasts(maya), await recordToasts(sam)]
  const call = [587.3, 440, 587.3]
  await maya.getByText('Any Busser').locator('..').getByRole('button', { name: 'Quick messages' }).click()
  await maya.getByRole('button', { name: 'Table ready to be cleared' }).click()
  const onRail = sam.getByRole('listitem').filter({ hasText: 'Maya asks any Busser' })
  await onRail.getByRole('heading', { name: 'Table ready to be cleared' }).waitFor()
  await sam.getByText('Table ready to be cleared', { exact: true }).first().waitFor()
  await expect.poll(() => toldSam).toContainEqual(expect.stringMatching(/^Maya asks any Busser/u))
  await expect.poll(heardBySam).toEqual(call)
  // The chime does not restart while it is still playing.
  await sam.waitForFunction(() => Reflect.get(window, 'sounding') === 0)
  app.advance(20_001)
  await expect.poll(heardBySam).toEqual([...call, ...call])
  await onRail.getByText('2×').waitFor()
  expect(await jonas.getByText('asks any Busser').count()).toBe(0)
  // Who leaves it to others is not alerted again, and the others still are.
  await ben.getByRole('button', { name: 'Not me' }).click()
  await ben.getByRole('listitem').filter({ hasText: 'asks any Busser' }).waitFor({ state: 'detached' })
  expect(await lastingViolations(sam)).toEqual([])
  expect(await heardByJonas()).toEqual([])
  await sam.getByRole('button', { name: "I'll do it" }).click()
  await maya.getByText('asks any Busser').waitFor({ state: 'detached' })
  await onRail.waitFor({ state: 'detached' })
  await expect.poll(() => toldMaya).toContainEqual(expect.stringMatching(/^Sam Keller does it/u))
  await expect.poll(() => toldSam).toContainEqual(expect.stringMatching(/^It's yours/u))
})

it('keeps calls to a role, and who takes them, while disconnected', async () => {
  const restaurant = await openRestaurant()
  const [maya, sam] = [await screenOf(restaurant, 'Maya Lindqvist'), await screenOf(restaurant, 'Sam Keller')]
  const ask = async (label: string): Promise<void> => {
    await maya.getByText('Any Busser').locator('..').getByRole('button', { name: 'Quick messages' }).click()
    await maya.getByRole('button', { name: label }).click()
    await maya.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const calls = sam.getByRole('listitem').filter({ hasText: 'Maya asks any Busser' })
  await ask('Table ready to be cleared')
  await calls.waitFor()
  await app.pause()
  await Promise.all([maya, sam].map((page) => page.getByText('Reconnecting…').waitFor()))
  await ask('Spill cleanup needed')
  await maya.getByText('Sending…').waitFor()
  await sam.getByRole('button', { name: "I'll do it" }).click()
  await sam.getByText('Sending…').waitFor()
  await app.start()
  await maya.getByText('Table ready to be cleared').waitFor({ state: 'detached' })
  await sam.getByRole('heading', { name: 'Spill cleanup needed' }).waitFor()
  await expect.poll(() => calls.count()).toBe(1)
  await maya.getByRole('button', { name: 'Take back' }).click()
  await calls.waitFor({ state: 'detached' })
})

it('sends what a closed page left unsent, and knows what another tab has read', async () => {
  const restaurant = await openRestaurant()
  const [maya, jonas] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Jonas Weber'),
  ]
  await openContact(maya, 'Jonas Weber')
  await maya.context().setOffline(true)
  await maya.getByPlaceholder('Type a message...').fill('Are you there?')
  await maya.getByRole('button', { name: 'Send' }).click()
  await maya.getByText('Sending…').waitFor()
  await maya.close()
  await maya.context().setOffline(false)
  await (await openTab(maya)).goto(`${app.url}/waiter`)
  await jonas.getByText('1 new').first().waitFor()

  const tab = await openTab(jonas)
  await tab.goto(`${app.url}/waiter`)
  await tab.getByText('1 new').first().waitFor()
  await openContact(jonas, 'Maya Lindqvist')
  await jonas.getByRole('log').getByText('Are you there?').waitFor()
  await tab.getByText('1 new').first().waitFor({ state: 'detached' })
})
