import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { TestBrowser, TestSocket } from '../app.ts'

/** Connects a crew screen that follows the requests, with the crew member selected if given. */
export async function connectScreen(device: TestBrowser, crewMemberId?: string): Promise<TestSocket> {
  const screen = await device.connect()
  if (crewMemberId !== undefined) await screen.request({ type: 'set-crew-member-context', crewMemberId })
  screen.send({ type: 'get-pending-requests' })
  await screen.next('pending-requests')
  return screen
}

/** What a crew screen is sent when it connects: the open and the recent requests. */
export async function pendingRequests(device: TestBrowser) {
  const screen = await device.connect()
  screen.send({ type: 'get-pending-requests' })
  const pending = await screen.next('pending-requests')
  screen.close()
  return pending
}

/** An open request as the crew sees it; guests see less. */
export async function requestAsCrew(device: TestBrowser, id: string): Promise<ServiceRequest> {
  const { requests } = await pendingRequests(device)
  const request = requests.find((request) => request.id === id)
  if (!request) throw new Error(`${id} is not open`)
  return request
}
