import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'

const app = setUpApp()

/** A table with a guest's phone and screen, the crew member whose table it is, whom a request calls first, and another. */
async function table() {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const [owner, device] = [restaurant.owner, restaurant.device]
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya Unspoken-Surname', role: 'Server' } })
  const [seven] = await owner.ok(api.floor.tables, {})
  const date = new Date(app.now()).toISOString().slice(0, 10)
  await owner.ok(api.floor.assign, {
    body: { date, assignments: [{ tableId: seven?.id ?? '', crewMemberId: maya.id }] },
  })
  const crew = await device.connect()
  await crew.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
  await crew.request({ type: 'get-pending-requests' })
  const tom = await owner.ok(api.crew.add, { body: { name: 'Tom', role: 'Server' } })
  await connectScreen(device, tom.id)
  return { ...restaurant, maya, crew }
}

type Visited = Awaited<ReturnType<typeof table>>

/** Uses every operation that a guest has, and returns everything that the browser received. */
async function visit(browser: TestBrowser, { name, maya, crew }: Visited): Promise<string[]> {
  const at = { restaurantId: name, tableNumber: '7' }
  const heard: unknown[] = []
  const page = async (): Promise<void> => {
    const answer = await browser.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`)
    heard.push(await answer.text())
  }
  const screen = await browser.connect()
  await screen.request({ type: 'set-restaurant-context', ...at })
  const send = async (serviceType: 'check' | 'drinks') => {
    const { request } = await browser.ok(api.requests.send, { body: { ...at, serviceType } })
    heard.push(request)
    return request.id
  }
  const [check, drinks] = [await send('check'), await send('drinks')]
  expect((await crew.next('new-request')).request.called).toEqual([maya.id])
  for (const id of [check, drinks]) {
    expect(await crew.request({ type: 'accept-request', id })).toMatchObject({
      request: { acceptedBy: { id: maya.id, name: maya.name }, crew: [maya.id] },
    })
  }
  await page()
  await send('check')
  heard.push(await screen.request({ type: 'service-request', ...at, serviceType: 'check' }))
  heard.push(await screen.request({ type: 'set-restaurant-context', ...at }))
  heard.push(await browser.ok(api.requests.mine, { query: at }))
  app.advance(50_000)
  heard.push(await browser.ok(api.requests.stillWaiting, { params: { id: check } }))
  heard.push(await browser.ok(api.requests.cancel, { params: { id: drinks } }))
  await page()
  await crew.request({ type: 'complete-request', id: check })
  while (screen.ofType('request-completed').length < 2) await screen.nextAny()
  heard.push(...screen.received)
  return heard.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)))
}

it.each(['a phone', 'a browser that is signed in as staff'])(
  'shows %s at a table first names only, and no ids of crew members',
  async (what) => {
    const restaurant = await table()
    const heard = await visit(what === 'a phone' ? app.browser() : restaurant.device, restaurant)

    expect(heard.length).toBeGreaterThan(14)
    for (const text of heard) {
      expect(text).not.toContain('Unspoken-Surname')
      expect(text).not.toContain(restaurant.maya.id)
    }
    expect(heard.filter((text) => text.includes('"acceptedBy":{"id":null,"name":"Maya"}'))).not.toEqual([])
    expect(heard.filter((text) => text.includes('"by":{"id":null,"name":"Maya"}'))).not.toEqual([])
  },
)
