// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import type { JSX } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpLivePage, snapshot } from '../../../../test/support/pages/live-page.ts'
import { createQueryClient, useApiQuery } from '../queries.ts'
import { useListUpdates } from './use-list-updates.ts'
import { LiveContext } from './use-live.ts'

const page = setUpLivePage()
const read = vi.fn<typeof fetch>()

beforeEach(() => {
  read.mockReset().mockImplementation(async () => Response.json({ sections: [], tables: [], members: [] }))
  vi.stubGlobal('fetch', read)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const changes = ['floor-changed'] as const
const lists = [api.tables.plan]

function Plan(): JSX.Element {
  const { status } = useApiQuery(api.tables.plan, {})
  useListUpdates(changes, lists)
  return <p>{status}</p>
}

const showPlan = () =>
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LiveContext value={page.live}>
        <Plan />
      </LiveContext>
    </QueryClientProvider>,
  )

const expectReads = async (count: number): Promise<void> => {
  await expect.poll(() => read.mock.calls.length).toBe(count)
}

it('reads again what may be older than the list of the requests, and what has changed', async () => {
  showPlan()
  await expectReads(1)
  await page.connect(3)
  await expectReads(2)

  // A part of the screen that comes later asks for the list, which tells nothing new.
  page.subscribe()
  const told = page.recordSequences()
  await page.receiveSnapshot(3)
  await expect.poll(() => told).toEqual([3])
  expect(read).toHaveBeenCalledTimes(2)
  page.server.send({ type: 'floor-changed', seq: 4 })
  await expectReads(3)

  page.server.send({ type: 'alarm-set', seq: 6, alarmSet: 'wood' })
  await page.server.nextOf('get-pending-requests')
  page.server.send(snapshot(6))
  await expectReads(4)

  // What was read while nothing could be heard may be older than a list with the same number.
  await page.loseServer()
  await page.server.start()
  await page.receiveSnapshot(6)
  await expectReads(5)
})

it('reads again what could not be read once it is live again, although nothing has happened meanwhile', async () => {
  await page.connect(3)
  await page.loseServer()
  read.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  const { findByText } = showPlan()
  await findByText('error')
  await page.server.start()
  const { ref } = await page.server.nextOf('get-pending-requests')
  page.server.send({ type: 'ack', ref, unchanged: true })
  await findByText('success')
  expect(read).toHaveBeenCalledTimes(2)

  // What is known already is not.
  await page.loseServer()
  await page.server.start()
  const again = await page.server.nextOf('get-pending-requests')
  page.server.send({ type: 'ack', ref: again.ref, unchanged: true })
  await page.waitForState('live')
  expect(read).toHaveBeenCalledTimes(2)
})
