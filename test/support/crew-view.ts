import type { ServiceRequest } from '#contract/requests.ts'
import type { TestBrowser } from './app.ts'

/** An open request as the crew sees it; guests see less. */
export async function requestAsCrew(device: TestBrowser, id: string): Promise<ServiceRequest> {
  const screen = await device.connect()
  screen.send({ type: 'get-pending-requests' })
  const { requests } = await screen.next('pending-requests')
  screen.close()
  const request = requests.find((one) => one.id === id)
  if (!request) throw new Error(`${id} is not open`)
  return request
}
