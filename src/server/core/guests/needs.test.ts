import { describe, expect, it } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { defaultNeeds, type Need } from '#contract/requests/needs.ts'
import { type ShownNeed, serviceTypes } from '#contract/requests/requests.ts'
import { ownText, textIn } from '#contract/texts/languages.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import { write } from '../transaction.ts'

const app = setUpApp()
const changedMeanwhile = 'Somebody else has changed this meanwhile. Please check what is there now.'
type Restaurant = Awaited<ReturnType<typeof app.restaurant>>
type NeedInput = CallInput<typeof api.needs.set>['body']['needs'][number]

const changingTable = {
  id: 'baby',
  name: { de: 'Wickeltisch', en: 'Changing table' },
  icon: 'baby',
  targetMs: 60_000,
} satisfies NeedInput
const payment = [
  { id: 'cash', name: { de: 'Bar', en: 'Cash' } },
  { id: 'card', name: { de: 'Karte', en: 'Card' } },
]

const setNeeds = ({ owner }: Restaurant, ...needs: NeedInput[]) =>
  owner.ok(api.needs.set, { body: { needs } })

const tableOf = (guest: TestBrowser, { name }: Restaurant) =>
  guest.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })

const pageOf = async (guest: TestBrowser, { name }: Restaurant): Promise<{ needs?: ShownNeed[] }> => {
  const html = await (await guest.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`)).text()
  return JSON.parse(/id="page">(?<page>.*?)<\/script>/su.exec(html)?.groups?.['page'] ?? '')
}

it('guests see the six until an owner changes something, and again when everything is as before', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { owner } = restaurant
  expect(await owner.ok(api.needs.state, {})).toEqual({ needs: defaultNeeds })
  const guest = app.browser()
  expect(await tableOf(guest, restaurant)).not.toHaveProperty('needs')
  expect(await pageOf(guest, restaurant)).not.toHaveProperty('needs')
  await setNeeds(restaurant, changingTable)
  expect(await tableOf(guest, restaurant)).toHaveProperty('needs')
  expect(await setNeeds(restaurant)).toEqual({ needs: defaultNeeds })
  expect(await tableOf(guest, restaurant)).not.toHaveProperty('needs')
})

it('keeps what another owner has changed in the needs, and refuses what both changed', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { owner, name } = restaurant
  const other = app.browser()
  await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
  const { needs: was } = await setNeeds(restaurant, ...defaultNeeds, changingTable)
  const save = (browser: TestBrowser, needs: Need[], seen = was) =>
    browser.call(api.needs.set, { body: { needs, was: seen } })
  const change = (needs: Need[], id: string, to: { hidden?: boolean; name?: Record<string, string> }) =>
    needs.map((need) => (need.id === id ? { ...need, ...to } : need))
  const refused = { status: 409, body: { code: 'conflict', message: changedMeanwhile } }

  const answers = await Promise.all([
    save(owner, change(change(was, 'drinks', { hidden: true }), 'baby', { name: { en: 'Crib' } })),
    save(other, change(was, 'baby', { hidden: true }).toReversed()),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const both = change(change(was, 'drinks', { hidden: true }), 'baby', {
    hidden: true,
    name: { en: 'Crib' },
  }).toReversed()
  expect(await owner.ok(api.needs.state, {})).toEqual({ needs: both })

  expect(await save(owner, change(both, 'baby', { name: { en: 'Cot' } }), both)).toMatchObject({
    status: 200,
  })
  expect(await save(other, change(both, 'baby', { name: { en: 'Bed' } }), both)).toMatchObject(refused)
  expect(
    await save(
      other,
      both.filter(({ id }) => id !== 'baby'),
      both,
    ),
  ).toMatchObject(refused)
  const renamed = change(both, 'baby', { name: { en: 'Cot' } })
  expect(await save(other, both, both)).toMatchObject({ status: 200, body: { needs: renamed } })
  expect(await save(other, renamed, both)).toMatchObject({ status: 200, body: { needs: renamed } })
  // Without what was seen, it is the list as it is given.
  expect(await setNeeds(restaurant)).toEqual({ needs: defaultNeeds })

  // One hides the first of the last two that are shown, the other one the second.
  const two = await setNeeds(
    restaurant,
    ...defaultNeeds.map((need, index) => ({ ...need, hidden: index > 1 })),
  )
  expect(await save(owner, change(two.needs, 'general', { hidden: true }), two.needs)).toMatchObject({
    status: 200,
  })
  expect(await save(other, change(two.needs, 'drinks', { hidden: true }), two.needs)).toMatchObject(refused)

  // Both add the twelfth of their own.
  const own = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...changingTable,
      id: `own${index}`,
      name: { en: `Own ${index}` },
    }))
  const eleven = await setNeeds(restaurant, ...own(11))
  const last: Need = { ...changingTable, calls: 'table', choices: [], note: false, hidden: false }
  expect(await save(owner, [...eleven.needs, { ...last, id: 'mine' }], eleven.needs)).toMatchObject({
    status: 200,
  })
  expect(await save(other, [...eleven.needs, { ...last, id: 'yours' }], eleven.needs)).toMatchObject(refused)
})

it('the owner names, orders and hides the six, and adds needs', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const hidden = (['drinks', 'food', 'assistance', 'other'] as const).map((id) => ({ id, hidden: true }))
  const state = await setNeeds(
    restaurant,
    { ...changingTable, calls: 'Busser', note: true },
    { id: 'check', choices: payment, name: { de: 'Rechnung' } },
    ...hidden,
  )
  expect(state.needs.map(({ id }) => id)).toEqual(['baby', 'check', ...hidden.map(({ id }) => id), 'general'])
  expect(await restaurant.owner.ok(api.needs.state, {})).toEqual(state)
  const needs = [
    { id: 'baby', name: changingTable.name, icon: 'baby', note: true },
    { id: 'check', name: { de: 'Rechnung' }, choices: payment },
    { id: 'general' },
  ]
  const guest = app.browser()
  expect((await tableOf(guest, restaurant)).needs).toEqual(needs)
  expect((await pageOf(guest, restaurant)).needs).toEqual(needs)
})

it('open pages are told at once, and managers only read', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { owner, name } = restaurant
  const phone = await app.browser().connect()
  const at = { restaurantId: name, tableNumber: '7' }
  expect(await phone.request({ type: 'set-restaurant-context', ...at })).not.toHaveProperty('needs')
  await setNeeds(restaurant, changingTable)
  await phone.next('table-changed')
  expect(await phone.request({ type: 'set-restaurant-context', ...at })).toMatchObject({
    needs: [{ id: 'baby' }, ...serviceTypes.map((id) => ({ id }))],
  })
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  expect((await manager.ok(api.needs.state, {})).needs[0]).toMatchObject({ id: 'baby', calls: 'table' })
  expect((await manager.call(api.needs.set, { body: { needs: [] } })).status).toBe(403)
})

it('the audit log names what guests see, in the restaurant’s language', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  await setNeeds(restaurant, changingTable, { id: 'food', hidden: true })
  const [entry] = (await restaurant.owner.ok(api.audit.list, { query: {} })).entries
  expect(entry).toMatchObject({
    action: 'needs.set',
    detail: {
      shown: ['Wickeltisch', 'Call Waiter', 'Drinks', 'Check/Bill', 'Assistance', 'Other'],
      hidden: ['Food Order'],
    },
  })
})

it('when two owners save at the same moment, the list of one of them is stored as a whole', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const lists = [[changingTable], [{ ...changingTable, id: 'taxi', icon: 'taxi' as const }]]
  const saved = await Promise.all(lists.map((needs) => setNeeds(restaurant, ...needs)))
  expect(saved).toContainEqual(await restaurant.owner.ok(api.needs.state, {}))
})

it('refuses what guests could not be shown, and changes nothing', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { owner } = restaurant
  const before = await setNeeds(restaurant, changingTable)
  const phone = await app.browser().connect()
  await phone.request({ type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '7' })
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...changingTable, id: `n${index}` }))
  const named = (name: unknown) => [{ ...changingTable, name }]
  const long = Object.fromEntries(
    ['de', 'en', 'fr', 'it', 'es', 'pt'].map((language) => [language, 'x'.repeat(40)]),
  )
  const bad: [unknown, string][] = [
    [undefined, 'Please choose what guests can ask for'],
    [{ length: 1 }, 'Please choose what guests can ask for'],
    [many(13), 'There can be at most 12 needs of your own'],
    [[changingTable, changingTable], 'Not a valid id'],
    [[{ id: 'food' }, { id: 'food' }], 'Not a valid id'],
    [serviceTypes.map((id) => ({ id, hidden: true })), 'Please leave at least one need for your guests'],
    [[{ id: 'food', note: true }], 'Only Other and needs of your own can have a note'],
    [[{ ...changingTable, id: 'too-long-an-id' }], 'Not a valid id'],
    [[{ ...changingTable, id: '' }], 'Not a valid id'],
    [named(null), 'Please enter a name'],
    [named({}), 'Please enter a name'],
    [named('Wickeltisch'), 'Please enter a name'],
    [named({ de: '  ' }), 'Please enter a name'],
    [named({ de: 'x'.repeat(41) }), 'Please use at most 40 characters'],
    [named({ de: 'a\u202Eb' }), 'Please use only visible characters'],
    [named({ de: 'a\0b' }), 'Please use only visible characters'],
    [named({ deutsch_: 'a' }), 'Please choose a language'],
    [named({ DE: 'a' }), 'Please choose a language'],
    [
      named(Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`aa-x-${i}`, 'a']))),
      'Please use at most 32 languages',
    ],
    [[{ ...changingTable, icon: 'skull' }], 'Please choose an icon'],
    [[{ ...changingTable, targetMs: 14_999 }], 'Please choose 15 seconds to 60 minutes'],
    [[{ ...changingTable, targetMs: 3_600_001 }], 'Please choose 15 seconds to 60 minutes'],
    [[{ ...changingTable, targetMs: null }], 'Please choose 15 seconds to 60 minutes'],
    [[{ ...changingTable, calls: 'Chef' }], 'Please choose who is called first'],
    [[{ id: 'check', choices: [...payment, ...payment] }], 'Not a valid id'],
    [
      [{ id: 'check', choices: many(7).map(({ id, name }) => ({ id, name })) }],
      'A need can have at most 6 choices',
    ],
    [
      many(12).map((need) => ({
        ...need,
        choices: many(6).map(({ id }) => ({ id, name: long })),
        name: long,
      })),
      'Please use fewer or shorter names',
    ],
  ]
  for (const [needs, message] of bad)
    expect({ message, ...(await owner.send('PUT', '/api/needs', { needs })) }).toMatchObject({
      status: 400,
      body: { message },
    })
  expect((await owner.send('PUT', '/api/needs', { needs: ['food', null] })).status).toBe(400)
  expect(await owner.ok(api.needs.state, {})).toEqual(before)
  expect(phone.ofType('table-changed')).toEqual([])
})

describe('two needs of one name', () => {
  const own = (id: string, name: Record<string, string>) => ({ ...changingTable, id, name })
  const save = ({ owner }: Restaurant, needs: NeedInput[], was?: NeedInput[]) =>
    owner.call(api.needs.set, { body: { needs, ...(was && { was }) } })
  const refused = (name: string) => ({
    status: 400,
    body: { code: 'invalid', message: `There is a need called ${name} already` },
  })

  it.each<[string, string, NeedInput[]]>([
    ['spelled otherwise', 'water (English)', [own('a', { en: 'Water' }), own('b', { en: ' water ' })]],
    ['one of the six', 'Drinks (English)', [own('a', { en: 'Drinks' })]],
    ['one of the six, as German guests read it', 'Getränke (Deutsch)', [own('a', { de: 'Getränke' })]],
    [
      'one of the six that has it now',
      'Bar (English)',
      [own('a', { en: 'Bar' }), { id: 'food', name: { en: 'Bar' } }],
    ],
    [
      'only where another language stands in',
      'Pommes (Deutsch)',
      [own('a', { en: 'Crisps', de: 'Pommes' }), own('b', { fr: 'Pommes' })],
    ],
  ])('are refused: %s', async (_, name, needs) => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    expect(await save(restaurant, needs)).toMatchObject(refused(name))
    expect(await restaurant.owner.ok(api.needs.state, {})).toEqual({ needs: defaultNeeds })
  })

  it('are told when the second one is shown', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const needs = [own('a', { en: 'Drinks' }), { id: 'drinks' as const, hidden: true }]
    const { needs: was } = await setNeeds(restaurant, ...needs)
    const shown = was.map((need) => ({ ...need, hidden: false }))
    expect(await save(restaurant, shown, was)).toMatchObject(refused('Drinks (English)'))
  })

  it('that are so already keep no owner from changing something else', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const { needs } = await setNeeds(restaurant, own('a', { en: 'Water' }), own('b', { en: 'Tap water' }))
    const same = needs.map((need) => ({ ...need, ...(need.id === 'b' && { name: { en: 'Water' } }) }))
    const id = await app.idOf(restaurant)
    await write(app.ctx, ({ db }) => restaurants.setNeeds(db, id, JSON.stringify(same)))
    const hidden = same.map((need) => ({ ...need, hidden: need.id === 'food' }))
    expect(await save(restaurant, hidden, same)).toMatchObject({ status: 200, body: { needs: hidden } })
    const third = [...hidden, own('c', { en: 'Bar' }), own('d', { en: 'Bar' })]
    expect(await save(restaurant, third, hidden)).toMatchObject(refused('Bar (English)'))
  })

  it('are refused as a conflict when another owner has just added the first', async () => {
    const restaurant = await app.restaurant({ tables: ['7'] })
    const { needs: was } = await restaurant.owner.ok(api.needs.state, {})
    await setNeeds(restaurant, own('a', { en: 'Water' }))
    expect(await save(restaurant, [...was, own('b', { en: 'Water' })], was)).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: changedMeanwhile },
    })
  })
})

it('a request type that came after the owner arranged the needs is last among them', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const restaurantId = await app.idOf(restaurant)
  const arranged = defaultNeeds.filter(({ id }) => id !== 'drinks').toReversed()
  await write(app.ctx, ({ db }) => restaurants.setNeeds(db, restaurantId, JSON.stringify(arranged)))
  const expected = [...arranged.map(({ id }) => id), 'drinks']
  const { needs } = await restaurant.owner.ok(api.needs.state, {})
  expect(needs.map(({ id }) => id)).toEqual(expected)
  const page = await pageOf(app.browser(), restaurant)
  expect(page.needs?.map(({ id }) => id)).toEqual(expected)
})

it('takes three more than the six hidden, and names in every script', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const needs = [
    ...serviceTypes.map((id) => ({ id, hidden: true })),
    { ...changingTable, name: { ar: 'طاولة تغيير', ja: 'おむつ替え台', en: '  Baby   table 👶 ' } },
  ]
  expect((await setNeeds(restaurant, ...needs)).needs.at(-1)?.name).toEqual({
    ar: 'طاولة تغيير',
    ja: 'おむつ替え台',
    en: 'Baby table 👶',
  })
  expect((await tableOf(app.browser(), restaurant)).needs).toHaveLength(1)
})

it('a text is shown in the guest’s language, or else in the restaurant’s own', () => {
  const texts = { de: 'Wickeltisch', en: 'Changing table', 'zh-Hans': '尿布台' }
  expect(textIn(texts, 'en')).toBe('Changing table')
  expect(textIn(texts, 'en-GB')).toBe('Changing table')
  expect(textIn(texts, 'zh-CN')).toBe('尿布台')
  expect(textIn(texts, 'fr')).toBe('Wickeltisch')
  expect(ownText(texts)).toBe('Wickeltisch')
})
