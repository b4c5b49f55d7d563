// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { leftNotice } from '../notice.tsx'
import { rememberOwnRequest } from '../taps/guest-storage.ts'
import { useTableLookup } from './use-table-lookup.ts'

const scanned = '/customer?r=Blue+Door&t=12&k=proof'
const corrected = { restaurantId: 'Blue Door', tableNumber: '12', k: 'proof', from: '4' }

/** Scans the code of table 12 after table 4 was corrected. Returns what was called, and what the guest is told. */
async function scanTable(correction: Response) {
  const calls: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body }: { body?: string }) => {
    calls.push(body === undefined ? new URL(url, location.href).pathname : JSON.parse(body))
    return body === undefined
      ? Response.json({ requests: [], listening: true, barrier: null })
      : correction.clone()
  })
  const [dispatch, setNotice] = [vi.fn(), vi.fn()]
  const { result } = renderHook(() =>
    useTableLookup({ step: 'qr-scan' }, { from: '4', dispatch, dispatchToTable: () => undefined, setNotice }),
  )
  await act(() => result.current.scanned(`${location.origin}${scanned}`))
  return { calls, events: dispatch.mock.calls.flat(), notices: setNotice.mock.calls.flat() }
}

const refused = (code: string): Response => Response.json({ code, message: 'No' }, { status: 409 })

it('takes the requests of a corrected table along to one whose code is scanned', async () => {
  const { calls, events, notices } = await scanTable(Response.json({ moved: 1 }))
  expect(calls).toEqual([corrected, '/api/service-requests/mine'])
  expect(events).toEqual([expect.objectContaining({ type: 'table-found' })])
  expect(notices).toEqual([])
})

it('says what stays at the table before where the new one takes none', async () => {
  const nothingAsked = await scanTable(refused('table_muted'))
  expect(nothingAsked.notices).toEqual([])
  rememberOwnRequest('r1', Date.now())
  const { events, notices } = await scanTable(refused('table_muted'))
  expect(events).toEqual([expect.objectContaining({ type: 'table-found' })])
  expect(notices).toEqual([leftNotice('4')])
  expect(leftNotice('4').text).toContain('at table 4')
})

it('asks for the code first where one is required', async () => {
  rememberOwnRequest('r1', Date.now())
  expect((await scanTable(refused('code_required'))).notices).toEqual([])
})
