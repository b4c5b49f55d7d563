import { api } from '#contract/api.ts'
import type { TestBrowser } from './app.ts'

let addresses = 0
/** Tries are counted by address, so those of one test are made where no other test makes any. */
export const uniqueAddress = (): string => `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`

export async function postFrom(browser: TestBrowser, path: string, body: object, address = uniqueAddress()) {
  const response = await browser.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    body: response.status === 204 ? null : await response.json(),
    headers: response.headers,
  }
}

export const currentGrants = async (browser: TestBrowser): Promise<string[]> => {
  const { status, body } = await browser.call(api.accounts.session, {})
  return status === 200 ? body.grants.toSorted() : []
}
