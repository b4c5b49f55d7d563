// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { type JSX, type ReactNode, useCallback } from 'react'
import * as v from 'valibot'
import { afterEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { ServerMessage } from '#contract/live.ts'
import { setUpApp } from '../../../../../test/support/app.ts'
import { pendingRequests } from '../../../../../test/support/pages/crew-view.ts'
import { stubBrowserWebSocket } from '../../../../../test/support/pages/jsdom-socket.ts'
import type { Restaurant } from '../../../../../test/support/restaurants/busy-restaurant.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { useLiveContexts } from '../use-live-contexts.ts'
import { SeenReport } from './seen-report.ts'
import { type ObserveRequest, useShownRequests } from './watched-requests.ts'

const app = setUpApp({ guestLimits: false })
afterEach(() => vi.unstubAllGlobals())

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

type ListProps = { ids: string[]; isReady?: boolean }

function List({ ids, isReady = true }: ListProps): JSX.Element {
  const shown = useShownRequests()
  return (
    <>
      {isReady && <SeenReport {...shown} />}
      {ids.map((id) => (
        <Line key={id} id={id} observe={shown.tickets.observe} />
      ))}
    </>
  )
}

function Line({ id, observe }: { id: string; observe: ObserveRequest }): JSX.Element {
  return <p ref={useCallback((line: HTMLParagraphElement) => observe(line, id), [observe, id])} />
}

function Screen({ restaurantId, children }: { restaurantId: string; children: ReactNode }): ReactNode {
  useLiveContexts(restaurantId, { sound: false, push: false })
  return children
}

function openScreen(restaurant: Restaurant, lists: ReactNode) {
  stubBrowserWebSocket(() => ({ origin: app.url, cookie: restaurant.device.cookieHeader }))
  const live = new LiveChannel({ url: () => `${app.url.replace('http', 'ws')}/ws`, isMessage })
  const show = (shown: ReactNode) => (
    <LiveContext value={live}>
      <Screen restaurantId={restaurant.name}>{shown}</Screen>
    </LiveContext>
  )
  const { rerender } = render(show(lists))
  return { live, update: (shown: ReactNode) => rerender(show(shown)) }
}

async function ask(restaurant: Restaurant, tableNumber: string, guest = app.browser()): Promise<string> {
  const body = { id: tableNumber.padStart(64, 'x'), restaurantId: restaurant.name, tableNumber }
  return (await guest.ok(api.requests.send, { body })).request.id
}

async function seenTables(restaurant: Restaurant): Promise<string[]> {
  const { requests } = await pendingRequests(restaurant.device)
  return requests.filter(({ seen }) => seen > 0).map(({ tableNumber }) => tableNumber)
}

it('reports more requests than fit into one message, and keeps its connection', async () => {
  const tables = Array.from({ length: 260 }, (_, index) => `${index + 1}`)
  const restaurant = await app.restaurant({ tables })
  const guest = app.browser()
  const ids: string[] = []
  for (const tableNumber of tables) ids.push(await ask(restaurant, tableNumber, guest))
  const { live } = openScreen(restaurant, <List ids={ids} />)
  await expect.poll(async () => (await seenTables(restaurant)).length).toBe(260)
  expect(live.connection.state).toBe('live')
})

it('reports nothing before it is ready', async () => {
  const restaurant = await app.restaurant({ tables: ['4', '7'] })
  const [four, seven] = [[await ask(restaurant, '4')], [await ask(restaurant, '7')]]
  const lists = (isReady: boolean) => (
    <>
      <List ids={four} isReady={isReady} />
      <List ids={seven} />
    </>
  )
  const { update } = openScreen(restaurant, lists(false))
  // What came first would be reported first.
  await expect.poll(() => seenTables(restaurant)).toContain('7')
  expect(await seenTables(restaurant)).toEqual(['7'])
  update(lists(true))
  await expect.poll(() => seenTables(restaurant)).toContain('4')
})
