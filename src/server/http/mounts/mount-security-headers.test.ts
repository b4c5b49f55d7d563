import { describe, expect, it } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'

const app = setUpApp({ metricsToken: 'only-for-the-collector' })

/** As a browser asks for what somebody has typed. */
const visit = { accept: 'text/html, */*', 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }

describe.each([
  ['the landing page', '/', 200, 'text/html; charset=utf-8'],
  ['the guest page', '/customer?r=nowhere', 200, 'text/html; charset=utf-8'],
  ['a refused call', '/api/session', 401, 'application/json; charset=utf-8'],
  ['a call that there is not', '/api/nothing', 404, 'application/json; charset=utf-8'],
])('%s', (_what, path, status, type) => {
  it('declares its type and forbids sniffing', async () => {
    const { headers } = await app.browser().fetch(path, { headers: visit })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('cannot be framed and runs nothing from other sites', async () => {
    const response = await app.browser().fetch(path, { headers: visit })
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

it('a page is sent with every security header, anything else only with those that it needs', async () => {
  const [script = ''] = /\/assets\/guest-[\w-]+\.js/u.exec(
    await (await app.browser().fetch('/customer?r=nowhere', { headers: visit })).text(),
  )!
  const sizeOf = async (path: string): Promise<number> => {
    const { headers } = await app.browser().fetch(path)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  }
  expect(await sizeOf(script)).toBeLessThan(600)
  expect(await sizeOf('/api/session')).toBeLessThan(700)
  for (const path of ['/', '/guest-worker.js', '/service-worker.js']) {
    const { headers } = await app.browser().fetch(path, { headers: visit })
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(headers.get('permissions-policy')).toContain('camera=(self)')
  }
})

it.each(['/customer?r=nowhere', '/waiter'])('framing is left to our own pages: %s', async (path) => {
  const policyFor = async (site: string, dest: string) => {
    const headers = { accept: 'text/html', 'sec-fetch-site': site, 'sec-fetch-dest': dest }
    return (await app.browser().fetch(path, { headers })).headers.get('content-security-policy')
  }
  expect(await policyFor('same-origin', 'iframe')).toContain("frame-ancestors 'self'")
  for (const [site, dest] of [
    ['cross-site', 'iframe'],
    ['same-site', 'iframe'],
    ['none', 'iframe'],
    ['same-origin', 'document'],
  ] as const)
    expect(await policyFor(site, dest)).toContain("frame-ancestors 'none'")
})

it.each(['/customer?r=nowhere', '/waiter'])(
  'a page may be framed by our own pages over plain http, where browsers do not say who asks: %s',
  async (path) => {
    const { headers } = await fetch(app.url + path, { headers: { accept: 'text/html' } })
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
  },
)

it('lets not even our own pages frame one that changes anything', async () => {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }
  for (const path of ['/', '/admin', '/admin-dashboard', '/security', '/demo-login'])
    for (const asking of [headers, { accept: 'text/html' }])
      expect(
        (await fetch(app.url + path, { headers: asking })).headers.get('content-security-policy'),
      ).toContain("frame-ancestors 'none'")
})

it('browsers may not cache API replies or the guest page', async () => {
  for (const path of ['/api/session', '/customer?r=nowhere'])
    expect((await app.browser().fetch(path)).headers.get('cache-control')).toBe('no-store')
})

it('shows its metrics only with the token', async () => {
  const ask = (headers: Record<string, string>) => app.browser().fetch('/metrics', { headers })
  expect((await ask({})).status).toBe(404)
  expect((await ask({ authorization: 'Bearer something' })).status).toBe(404)
  expect((await ask({ authorization: 'Bearer only-for-the-collector' })).status).toBe(200)
})
