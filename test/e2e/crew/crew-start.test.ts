import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import {
  assignTables,
  busyRestaurant,
  type Restaurant,
  today,
} from '../../support/restaurants/busy-restaurant.ts'
import { choose } from '../pages/dashboards.ts'
import { openPageAs, signInToRestaurant } from '../pages/sign-in.ts'
import { openPage } from '../support/browser.ts'
import { nextFrame } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp()

/** Opens the screen on the restaurant's device, and records the paths of what it fetches and how many lists it is sent. */
async function openScreen(restaurant: Restaurant) {
  const page = await openPage({ viewport: viewports.phone })
  await signInToRestaurant(page, app, restaurant)
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  let lists = 0
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (payload.includes('"type":"pending-requests"')) lists += 1
    }),
  )
  await page.goto(`${app.url}/waiter`)
  await page.getByText('Live', { exact: true }).waitFor()
  await choose(page, 'Maya Chen')
  return { page, paths, countLists: () => lists }
}

const countsOf = (paths: string[], names: string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, paths.filter((path) => path === `/api/${name}`).length]))

type Chunks = Record<string, { file: string; imports?: string[]; dynamicImports?: string[] }>

const isForOwners = (key: string): boolean => /^app\/(?:commands|owners)\//u.test(key)

/** The scripts that these load, at once or later, except for what only owners and managers see. */
function scriptsOf(chunks: Chunks, keys: string[]): Set<string> {
  const visited = new Set<string>()
  function visit(key: string): void {
    if (visited.has(key)) return
    visited.add(key)
    const { imports = [], dynamicImports = [] } = chunks[key] ?? {}
    // The page itself names all others.
    const later = key === 'index.html' ? [] : dynamicImports.filter((each) => !isForOwners(each))
    for (const each of [...imports, ...later]) visit(each)
  }
  keys.forEach(visit)
  return new Set([...visited].map((key) => `/${chunks[key]?.file}`))
}

it('fetches each list of a crew screen once, and again only what it had read before it was live', async () => {
  const restaurant = await busyRestaurant(app)
  await restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  await assignTables(restaurant, today, { '1': 'Maya Chen', '2': 'Maya Chen' })
  const { page, paths, countLists } = await openScreen(restaurant)
  await page.getByRole('list', { name: 'My tables' }).waitFor()
  // What has come later, such as the messages, has asked for the list of requests again.
  await expect.poll(countLists).toBeGreaterThan(1)
  const oncePaths = ['tables-by-restaurant', 'crew-assignments', 'floor-plan']
  const isOnce = { 'tables-by-restaurant': 1, 'crew-assignments': 1, 'floor-plan': 1 }
  await expect.poll(() => countsOf(paths, oncePaths)).toEqual(isOnce)
  await nextFrame(page)
  expect(countsOf(paths, oncePaths)).toEqual(isOnce)
  const twicePaths = ['crew-by-restaurant', 'seating']
  expect(Math.max(...Object.values(countsOf(paths, twicePaths)))).toBeLessThanOrEqual(2)

  // Now the name is known, and its tables are read before the page is live.
  paths.splice(0)
  await page.reload()
  await page.getByRole('list', { name: 'My tables' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(Math.max(...Object.values(countsOf(paths, [...oncePaths, ...twicePaths])))).toBeLessThanOrEqual(2)
})

it('loads what only owners and managers see for nobody else', async () => {
  const restaurant = await busyRestaurant(app)
  const { chunks }: { chunks: { staff: Chunks } } = JSON.parse(readFileSync('dist/manifest.json', 'utf8'))
  const forCrews = scriptsOf(chunks.staff, ['index.html', 'app/crew.tsx'])
  const ofOwners = scriptsOf(chunks.staff, Object.keys(chunks.staff).filter(isForOwners))
  const forOwners = [...ofOwners].filter((path) => !forCrews.has(path))
  expect(forOwners.length).toBeGreaterThan(0)
  // It is not kept to open without a network either.
  const worker = readFileSync('dist/client/service-worker.js', 'utf8')
  expect([...forCrews].some((path) => worker.includes(path))).toBe(true)
  expect(forOwners.filter((path) => worker.includes(path))).toEqual([])

  const { page, paths } = await openScreen(restaurant)
  await page.getByRole('button', { name: 'Messages' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(paths.filter((path) => forOwners.includes(path))).toEqual([])

  const ownersPage = await openPageAs(app, '/waiter', restaurant.owner)
  await ownersPage.getByRole('navigation', { name: 'Your portals' }).waitFor()
})
