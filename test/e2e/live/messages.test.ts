import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/busy-restaurant.ts'
import { overflowingElements, smallTargets, violations } from '../support/accessibility.ts'
import { openPage, openTab, serverAwayErrors } from '../support/browser.ts'
import { recordToasts } from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'
import { signInToRestaurant } from '../support/sign-in.ts'

const app = setUpApp()

async function openRestaurant(): Promise<Restaurant> {
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  const crew = [
    ['Maya Lindqvist', 'Server'],
    ['Jonas Weber', 'Server'],
    ['Sam Keller', 'Busser'],
  ] as const
  for (const [name, role] of crew) await restaurant.owner.ok(api.crew.add, { body: { name, role } })
  return restaurant
}

async function screenOf(
  { name, device }: Restaurant,
  member: string,
  viewport = viewports.desktop,
): Promise<Page> {
  const tolerate = [/\/api\/auth\/user/, /ERR_CONNECTION_REFUSED/, ...serverAwayErrors]
  const page = await openPage({ viewport, tolerate })
  await signInToRestaurant(page, app, { name, device })
  await page.goto(`${app.url}/waiter`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  const tables = page.waitForResponse(/crew-assignments/)
  await page.getByRole('radio', { name: member }).click()
  await tables
  return page
}

const open = (page: Page, contact: string) =>
  page.getByRole('region', { name: 'ALL CONTACTS' }).getByRole('button', { name: contact }).click()

/** Records the notes played from now on, in hertz. */
async function notesOf(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(() => {
    const played: number[] = []
    Object.assign(window, { played, sounding: 0 })
    const sound = (change: 1 | -1): void => {
      Object.assign(window, { sounding: Number(Reflect.get(window, 'sounding')) + change })
    }
    const Silent = OscillatorNode
    window.OscillatorNode = class extends Silent {
      override start(at?: number): void {
        played.push(Math.round(this.frequency.value * 10) / 10)
        sound(1)
        this.addEventListener('ended', () => sound(-1))
        super.start(at)
      }
    }
  })
  return () => page.evaluate(() => Reflect.get(window, 'played'))
}

it('asks for a name first, finds contacts, and delivers messages live and once, and withdraws them', async () => {
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
  expect(await violations(maya)).toEqual([])
  await search.fill('')

  await open(maya, 'Jonas Weber')
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
    .toMatch(/^Table 4\nneeds <b>you<\/b>\s+\d+s ago$/)
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
  await maya.getByRole('button', { name: 'Delete message' }).click()
  await jonas.getByText('No messages yet. Start a conversation!').waitFor()
  expect(await violations(maya)).toEqual([])
  expect(await smallTargets(maya, 44)).toEqual([])
})

it('sends what was written while the server was away, once', async () => {
  const restaurant = await openRestaurant()
  const [maya, jonas] = [
    await screenOf(restaurant, 'Maya Lindqvist'),
    await screenOf(restaurant, 'Jonas Weber'),
  ]
  await open(maya, 'Jonas Weber')
  await app.pause()
  await maya.getByText('Reconnecting…').waitFor()
  await maya.getByPlaceholder('Type a message...').fill('Are you there?')
  await maya.getByRole('button', { name: 'Send' }).click()
  await maya.getByText('Sending…').waitFor()
  await app.start()
  await jonas.getByText('1 new').first().waitFor()
  await open(jonas, 'Maya Lindqvist')
  await expect.poll(() => jonas.getByRole('log').getByRole('listitem').count()).toBe(1)
  await maya.getByText('Sending…').waitFor({ state: 'detached' })
  await expect.poll(() => maya.getByRole('log').getByRole('listitem').count()).toBe(1)
})

it('asks any Busser, repeats after 20 seconds until one takes it, and disturbs nobody else', async () => {
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
  expect(await violations(sam)).toEqual([])
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
  await open(maya, 'Jonas Weber')
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
  await open(jonas, 'Maya Lindqvist')
  await jonas.getByRole('log').getByText('Are you there?').waitFor()
  await tab.getByText('1 new').first().waitFor({ state: 'detached' })
})

it('opens the names at the first tap on a phone, and fits phones and tablets', async () => {
  const restaurant = await openRestaurant()
  const page = await screenOf(restaurant, 'Maya Lindqvist', viewports.phone)
  await page.getByRole('button', { name: 'Messages' }).click()
  await open(page, 'Jonas Weber')
  await page.getByPlaceholder('Type a message...').fill('On my way')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('log').getByText('On my way').waitFor()
  expect(await overflowingElements(page, 320)).toEqual([])
  expect(await violations(page)).toEqual([])
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
  await open(maya, 'Sam Keller')
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
  expect(await violations(sam)).toEqual([])
  await takeScreenshots(sam, 'messages-unread', ['phone'])

  await call.getByRole('button', { name: "I'll do it" }).click()
  await call.waitFor({ state: 'detached' })
  await tab.click()
  await open(sam, 'Maya Lindqvist')
  await sam.getByRole('log').getByText('Can you clear the terrace?').waitFor()
  await sam.getByRole('button', { name: 'Messages', exact: true }).waitFor()

  // Messages in an open conversation stay unread while another section hides it.
  await sam.getByRole('button', { name: 'Requests', exact: true }).click()
  await open(maya, 'Sam Keller')
  await write('Thank you!')
  await sam.getByRole('button', { name: 'Messages 1 new', exact: true }).waitFor()
  await tab.click()
  await sam.getByRole('button', { name: 'Messages', exact: true }).waitFor()
})
