import { randomUUID } from 'node:crypto'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import * as v from 'valibot'
import { expect, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { ServerMessage } from '#contract/live.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { LiveChannel } from '../../../src/client/api/live/live-channel.ts'
import { LiveContext } from '../../../src/client/api/live/use-live.ts'
import { createQueryClient } from '../../../src/client/api/queries.ts'
import { CrewDashboard, type CrewDashboardProps } from '../../../src/client/features/crew/crew-dashboard.tsx'
import { ToastProvider } from '../../../src/client/ui/toast/toast.tsx'
import { setUpApp } from '../app.ts'
import { startForEachTest } from '../each-test.ts'
import type { Restaurant } from '../restaurants/busy-restaurant.ts'
import { stubBrowserWebSocket, UnreachableSocket } from './jsdom-socket.ts'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** Each test gets a restaurant, and the page of a device that is signed in there. */
export function setUpCrewDashboard() {
  const app = setUpApp({ guestLimits: false, billing: false })
  let failing: readonly string[] = []
  const letSocketsThrough = (running: Restaurant): void =>
    stubBrowserWebSocket(() => ({ origin: app.url, cookie: running.device.cookieHeader }))
  const restaurant = startForEachTest(async () => {
    const running: Restaurant = await app.restaurant({ tables: ['1', '4', '7', '12'] })
    failing = []
    letSocketsThrough(running)
    const network = fetch
    // Relative addresses are requested by the page, which runs on the restaurant's device.
    vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
      if (!path.startsWith('/')) return await network(path, init)
      if (failing.some((start) => path.startsWith(start))) return new Response('', { status: 500 })
      const { signal: _, ...rest } = init
      return await running.device.fetch(path, rest)
    })
    sessionStorage.setItem('restaurantId', running.name)
    return { running, stop: async () => vi.unstubAllGlobals() }
  })

  return {
    app,
    get restaurant(): Restaurant {
      return restaurant()
    },
    open: (props: CrewDashboardProps = {}): void => {
      const live = new LiveChannel({ url: () => `${app.url.replace('http', 'ws')}/ws`, isMessage })
      render(
        <QueryClientProvider client={createQueryClient()}>
          <ToastProvider>
            <LiveContext value={live}>
              <CrewDashboard {...props} />
            </LiveContext>
          </ToastProvider>
        </QueryClientProvider>,
      )
    },
    /** Calls whose paths begin so fail from now on. */
    fail(...starts: string[]): void {
      failing = starts
    },
    /** The page reads, but has no live channel until the returned function is called. */
    holdChannel(): () => void {
      vi.stubGlobal('WebSocket', UnreachableSocket)
      return () => {
        letSocketsThrough(restaurant())
        act(() => void window.dispatchEvent(new Event('online')))
      }
    },
    hire: (name: string) => restaurant().owner.ok(api.crew.add, { body: { name, role: 'Server' } }),
    ask: (tableNumber: string, serviceType: ServiceType = 'food') =>
      app.browser().ok(api.requests.send, {
        body: { id: randomUUID(), restaurantId: restaurant().name, tableNumber, serviceType },
      }),
  }
}

export function first(found: HTMLElement[]): HTMLElement {
  const [element] = found
  if (!element) throw new Error('No element was found')
  return element
}

export async function chooseName(name: string): Promise<void> {
  fireEvent.click(first(await screen.findAllByRole('button', { name: 'Select your name' })))
  fireEvent.click(await screen.findByRole('radio', { name: new RegExp(`^${name}`, 'u') }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
}
