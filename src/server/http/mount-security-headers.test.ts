import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ metricsToken: 'only-for-the-collector' })
})
afterAll(() => app.stop())

describe.each([
  ['the landing page', '/', 200, 'text/html; charset=utf-8'],
  ['the guest page', '/customer?r=nowhere', 200, 'text/html; charset=utf-8'],
  ['a refused call', '/api/session', 401, 'application/json; charset=utf-8'],
  ['a call that there is not', '/api/nothing', 404, 'application/json; charset=utf-8'],
])('%s', (_what, path, status, type) => {
  it('declares its type and forbids sniffing', async () => {
    const { headers } = await app.browser().fetch(path, { headers: { accept: 'text/html, */*' } })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('cannot be framed and runs nothing from other sites', async () => {
    const response = await app.browser().fetch(path, { headers: { accept: 'text/html, */*' } })
    expect(response.status).toBe(status)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const directive of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ])
      expect(policy).toContain(directive)
    expect(policy).not.toContain("'unsafe-inline'")
    expect(policy).not.toContain("'unsafe-eval'")
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

it('does not let browsers cache API replies or the guest page', async () => {
  for (const path of ['/api/session', '/customer?r=nowhere'])
    expect((await app.browser().fetch(path)).headers.get('cache-control')).toBe('no-store')
})

it('shows its metrics only with the token', async () => {
  const ask = (headers: Record<string, string>) => app.browser().fetch('/metrics', { headers })
  expect((await ask({})).status).toBe(404)
  expect((await ask({ authorization: 'Bearer something' })).status).toBe(404)
  expect((await ask({ authorization: 'Bearer only-for-the-collector' })).status).toBe(200)
})
