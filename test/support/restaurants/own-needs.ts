import { api, type CallInput } from '#contract/api.ts'
import type { TestApp, TestBrowser } from '../app.ts'
import { pendingRequests } from '../pages/crew-view.ts'

type Restaurant = Awaited<ReturnType<TestApp['restaurant']>>
type NeedInput = CallInput<typeof api.needs.set>['body']['needs'][number]
export type TapInput = Partial<CallInput<typeof api.requests.send>['body']>

export const still = { id: 'still', name: { de: 'Still', en: 'Still' } }
export const sparkling = { id: 'sparkling', name: { de: 'Sprudel', en: 'Sparkling' } }
export const water = {
  id: 'water',
  name: { de: 'Wasser', en: 'Water' },
  icon: 'water',
  targetMs: 120_000,
  choices: [still, sparkling],
} satisfies NeedInput
export const allergy = {
  id: 'allergy',
  name: { de: 'Allergie' },
  icon: 'allergy',
  targetMs: 30_000,
  note: true,
} satisfies NeedInput
const cash = { id: 'cash', name: { de: 'Bar' } }
export const card = { id: 'card', name: { de: 'Karte' } }
/** What the restaurants of these tests offer. */
export const needs = [
  water,
  allergy,
  { id: 'check', choices: [cash, card] },
  { id: 'food', name: { de: 'Speisen' } },
] satisfies NeedInput[]
export const seenWater = { id: 'water', name: water.name, icon: 'water', targetMs: 120_000 }

export const setNeeds = ({ owner }: Pick<Restaurant, 'owner'>, list: NeedInput[]) =>
  owner.ok(api.needs.set, { body: { needs: list } })

export async function openWithNeeds(app: TestApp): Promise<Restaurant> {
  const restaurant = await app.restaurant({ tables: ['7', '8'] })
  await setNeeds(restaurant, needs)
  return restaurant
}

export const send = (guest: TestBrowser, { name }: Pick<Restaurant, 'name'>, tap: TapInput) =>
  guest.call(api.requests.send, {
    body: { restaurantId: name, tableNumber: '7', serviceType: 'other', ...tap },
  })
export const ask = async (guest: TestBrowser, restaurant: Pick<Restaurant, 'name'>, tap: TapInput) => {
  const { body } = await send(guest, restaurant, tap)
  if (!('request' in body)) throw new Error(JSON.stringify(body))
  return body.request
}
/** The open requests as the crew sees them: `need (choice) "note" ×asks`. */
export const rail = async ({ device }: Pick<Restaurant, 'device'>) => {
  const { requests } = await pendingRequests(device)
  const lines = requests.map(({ serviceType, need, choice, note, asks }) => [
    need && need.id !== serviceType ? `${serviceType}:${need.id}` : serviceType,
    ...(choice ? [`(${choice.id})`] : []),
    ...(note === undefined ? [] : [`"${note}"`]),
    `×${asks}`,
  ])
  return lines.map((words) => words.join(' ')).toSorted()
}
