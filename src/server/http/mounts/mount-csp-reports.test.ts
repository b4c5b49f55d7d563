import { expect, it, onTestFinished } from 'vitest'
import { setUpApp, startTestApp } from '../../../../test/support/app.ts'

const app = setUpApp()

const post = (body: unknown, type: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/api/csp-reports`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const legacy = {
  'csp-report': {
    'document-uri': 'http://localhost/customer?r=Blue&k=1.secret',
    'violated-directive': 'img-src',
    'blocked-uri': 'https://elsewhere.test/pixel?k=1.secret',
  },
}
const modern = [
  {
    type: 'csp-violation',
    age: 10,
    url: 'http://localhost/waiter',
    body: {
      documentURL: 'http://localhost/waiter?k=1.secret',
      blockedURL: 'inline',
      effectiveDirective: 'script-src-elem',
      sourceFile: null,
    },
  },
]
const logged = () => app.lines.filter((line) => line.includes('content security policy violated'))

it('the policy’s report address is announced by every page, with a policy that requires trusted types', async () => {
  for (const path of ['/', '/waiter', '/customer', '/subscribe', '/customer/card?r=a&t=1']) {
    const { headers } = await fetch(app.url + path, { headers: { accept: 'text/html' } })
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).toContain('report-uri /api/csp-reports')
    // Over plain http it would switch report-uri off.
    expect(policy).not.toContain('report-to')
    expect(headers.get('reporting-endpoints')).toBe(null)
  }
})

it('the report address is announced in the newer way as well where the installation has https', async () => {
  const secure = await startTestApp({ publicUrl: 'https://tables.example.com' })
  onTestFinished(() => secure.stop())
  for (const path of ['/', '/customer', '/subscribe']) {
    const { headers } = await fetch(secure.url + path, { headers: { accept: 'text/html' } })
    expect(headers.get('reporting-endpoints')).toBe('csp="/api/csp-reports"')
    expect(headers.get('content-security-policy')).toContain('report-uri /api/csp-reports; report-to csp')
  }
})

it('accepts both formats of reports from any page, and logs them without queries', async () => {
  const statuses = [
    (await post(legacy, 'application/csp-report', { origin: 'null', 'sec-fetch-site': 'cross-site' })).status,
    (await post(modern, 'application/reports+json', { cookie: 'tsr=x' })).status,
  ]
  expect(statuses).toEqual([204, 204])
  expect(logged().map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      directive: 'img-src',
      blocked: 'https://elsewhere.test/pixel',
      document: 'http://localhost/customer',
    },
    { directive: 'script-src-elem', blocked: 'inline', document: 'http://localhost/waiter' },
  ])
  expect(app.lines.join('')).not.toContain('secret')
})

it.each([
  ['{', 'application/csp-report', 400],
  ['[]', 'application/csp-report', 204],
  ['{"csp-report":"x"}', 'application/csp-report', 400],
  ['{"csp-report":{"document-uri":{"a":1}}}', 'application/csp-report', 400],
  ['{"__proto__":{"a":1}}', 'application/reports+json', 400],
  ['[{"type":"csp-violation"}]', 'application/reports+json', 400],
  ['null', 'application/reports+json', 400],
  [JSON.stringify(modern), 'application/json', 415],
  ['x', 'text/plain', 415],
  ['x'.repeat(20_000), 'application/csp-report', 413],
])('answers %s as %s with %i', async (body, type, status) => {
  expect((await post(body, type)).status).toBe(status)
})

it('logs only a sample of a flood, and says so', async () => {
  const before = logged().length
  const many = Array.from({ length: 60 }, () => modern[0])
  const statuses: number[] = []
  for (let count = 0; count < 70; count++)
    statuses.push((await post(many, 'application/reports+json')).status)
  expect(new Set(statuses)).toEqual(new Set([204, 429]))
  expect(logged().length - before).toBeLessThan(61)
})
