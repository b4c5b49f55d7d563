import type { Page } from 'playwright-core'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { openPage, serverAwayErrors } from '../support/browser.ts'
import { viewports } from '../support/screenshots.ts'
import { rememberMember, signInToRestaurant, touch } from './sign-in.ts'

/** A server for the tests of one file, on which crew members write to each other. */
export function setUpMessages() {
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
    restaurant: Restaurant,
    member: string,
    viewport = viewports.desktop,
  ): Promise<Page> {
    const tolerate = [/\/api\/auth\/user/, /ERR_CONNECTION_REFUSED/, ...serverAwayErrors]
    const page = await openPage({ viewport, tolerate })
    await rememberMember(page, restaurant, member)
    await signInToRestaurant(page, app, restaurant)
    const tables = page.waitForResponse(/crew-assignments/)
    await page.goto(`${app.url}/waiter`)
    await page.getByText('Live', { exact: true }).waitFor()
    await tables
    await touch(page)
    return page
  }

  return { app, openRestaurant, screenOf }
}

export async function openContact(page: Page, contact: string): Promise<void> {
  await page.getByRole('region', { name: 'ALL CONTACTS' }).getByRole('button', { name: contact }).click()
  await page.getByRole('log').waitFor()
}

/** Records the notes played from now on, in hertz. */
export async function notesOf(page: Page): Promise<() => Promise<unknown>> {
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
