import fc from 'fast-check'
import { CspReports } from '#contract/csp-reports.ts'
import { shortLinkAlphabet } from '#contract/guests/short-links.ts'
import { GuestFields } from '#contract/guests/visits.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { anyUnit, changed, changedText, nearly } from './changes.ts'
import { maliciousTexts } from './malicious.ts'
import { referencePattern } from './references.ts'
import { inputsFor } from './values.ts'
import { weighted } from './weighted.ts'

type Headers = Record<string, string>

/** What is not a call of the contract: pages, plain forms, links, files and reports, with any headers. */
export type Page = {
  kind: 'page'
  method: string
  path: string
  headers: Headers
  body: string | undefined
}

const token = 'A'.repeat(32)
const cookies = fc
  .array(
    fc.tuple(
      fc.constantFrom('tsr', 'tsr_g', 'tsr_v', 'tsr_l', 'tsr_d', 'tsr_n', 'tsr_c'),
      nearly(token, 'l8x4.abc~l8x5-1.def', 'state=a&nonce=b', 'de', '1.2.3', `0-1.${token}~`),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('; '))

/** The headers that the server reads. */
const headers: Record<string, fc.Arbitrary<string>> = {
  cookie: cookies,
  'accept-language': nearly('de-DE,de;q=0.9,en;q=0.8', 'zh-CN', '*', 'i-klingon;q=1', 'en-US-u-ca-buddhist'),
  'accept-encoding': nearly('br, gzip', 'gzip;q=0', 'identity', '*'),
  accept: nearly('text/html', '*/*', 'application/json'),
  authorization: nearly(`Bearer tableside_${token}`, 'Basic YTpi', 'Bearer '),
  range: nearly('bytes=0-99', 'bytes=-5', 'bytes=5-', 'bytes=0-0,2-3', 'items=0-1', 'bytes=9999999-'),
  'if-none-match': nearly('W/"1-2"', '"a"', '*'),
  'if-modified-since': nearly('Wed, 11 Jun 2025 12:00:00 GMT'),
  'if-range': nearly('"a"', 'Wed, 11 Jun 2025 12:00:00 GMT'),
  'guest-device': nearly(token),
  'x-forwarded-for': nearly('10.1.2.3', '2001:db8::1, 10.0.0.1', '::ffff:1.2.3.4', 'unknown', '[::1]:80'),
  'user-agent': nearly('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1', 'curl/8'),
  'sec-fetch-site': nearly('same-origin', 'cross-site', 'none'),
  'content-type': nearly('application/json', 'application/x-www-form-urlencoded', 'text/plain; charset=x'),
  'stripe-signature': nearly('t=1749643200,v1=abcdef', 't=,v1='),
  traceparent: nearly('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
}

const oneHeader = fc.oneof(
  ...Object.entries(headers).map(([name, value]) => value.map((text): Headers => ({ [name]: text }))),
)
const someHeaders: fc.Arbitrary<Headers> = weighted(
  [2, fc.constant({})],
  [3, oneHeader],
  [1, fc.array(oneHeader, { maxLength: 4 }).map((all) => Object.assign({}, ...all))],
)

const need = fc.constantFrom<string>(...serviceTypes)
const numbered = (before: string, after = '', max = 5) => fc.nat({ max }).map((n) => `${before}${n}${after}`)

const formFields: Record<string, fc.Arbitrary<string>> = {
  r: fc.constant('@restaurant 0@'),
  t: numbered('@table ', '@'),
  from: numbered('@table ', '@'),
  k: fc.constantFrom('', '@proof 0@', '@proof 1@'),
  id: numbered('form-', '', 30),
  serviceType: need,
  need,
  choice: fc.constantFrom('', 'cash', 'card'),
  note: fc.constantFrom('', 'No ice, please', 'For two'),
  word: fc.constantFrom('', 'The soup was cold'),
  sent: fc.constantFrom('', '@request 0@'),
  action: fc.constantFrom('', 'cancel', 'still-waiting', 'word', 'correct', 'reset'),
  manual: fc.constantFrom('', '1'),
  lang: fc.constantFrom('', '', 'de', 'ar', 'zh-Hans', 'xx'),
  kept: fc.constantFrom('', '', 'de,en'),
}

/** As a browser encodes it, but for references, which are still to be replaced. */
export function encode(text: string): string {
  let [encoded, from] = ['', 0]
  for (const match of text.matchAll(referencePattern)) {
    encoded += encodeURIComponent(text.slice(from, match.index).toWellFormed()) + match[0]
    from = match.index + match[0].length
  }
  return encoded + encodeURIComponent(text.slice(from).toWellFormed())
}

export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

export function toQuery(given: unknown): string {
  if (typeof given !== 'object' || given === null) return encode(toText(given))
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]): [string, unknown][] =>
      Array.isArray(value) ? value.slice(0, 3).map((each) => [name, each]) : [[name, value]],
    )
    .map(([name, value]) => `${encode(name)}=${encode(toText(value))}`)
    .join('&')
}

const form = inputsFor(GuestFields, (_schema, field) => formFields[field]).map(toQuery)
const query = weighted([4, form], [1, changedText(form)])

const codeLetters = [...shortLinkAlphabet.split(''), 'S', 'Z', 'B', '-', ' ']
const shortCode = fc.oneof(
  numbered('@shortCode ', '@', 1),
  fc.array(fc.constantFrom(...codeLetters), { minLength: 8, maxLength: 9 }).map((all) => all.join('')),
)

const files = fc.constantFrom(
  '/',
  '/waiter',
  '/admin',
  '/developers',
  '/developers/openapi.json',
  '/index.html',
  '/guest-worker.js',
  '/manifest.webmanifest',
  '/assets/index.js',
  '/favicon.ico',
  '/customer',
  '/healthz',
  '/readyz',
  '/servingz',
  '/metrics',
  '/api/session',
)
const returnTo = nearly('/admin', '//evil.example', '/\\evil', '/.//evil', '/admin?x=1#y')
const anyText = fc.oneof(fc.string({ unit: anyUnit, maxLength: 40 }), fc.constantFrom(...maliciousTexts))
const stripeEvent = changed(
  fc.constant({ id: 'evt_1', type: 'customer.subscription.updated', data: { object: {} } }),
)

const page = (
  method: string,
  path: fc.Arbitrary<string>,
  own: Headers,
  body: fc.Arbitrary<string | undefined>,
) =>
  fc.record({
    kind: fc.constant('page' as const),
    method: fc.constant(method),
    path,
    headers: someHeaders.map((given): Headers => ({ ...own, ...given })),
    body,
  })

const get = (path: fc.Arbitrary<string>, before = '') =>
  page(
    'GET',
    path.map((rest) => before + rest),
    {},
    fc.constant(undefined),
  )
const getEncoded = (text: fc.Arbitrary<string>, before: string) => get(text.map(encode), before)
const post = (path: string, type: string, body: fc.Arbitrary<string>, own: Headers = {}) =>
  page('POST', fc.constant(path), { 'content-type': type, ...own }, body)

export const pages: fc.Arbitrary<Page> = weighted<Page>(
  [4, get(query, '/customer?')],
  [2, get(query, '/customer/card?')],
  [4, post('/customer', 'application/x-www-form-urlencoded', query)],
  [3, getEncoded(fc.oneof(shortCode, changedText(shortCode)), '/t/')],
  [
    3,
    get(
      fc.oneof(
        files,
        files.map((path) => `${path}?a=%`),
      ),
    ),
  ],
  [1, getEncoded(changedText(files.map((path) => path.slice(1))), '/')],
  [1, getEncoded(returnTo, '/api/logout?returnTo=')],
  [1, getEncoded(anyText, '/api/login?returnTo=')],
  [1, getEncoded(anyText, '/api/login/callback?code=a&state=')],
  [1, getEncoded(anyText, '/api/demo-crew/')],
  [1, post('/api/csp-reports', 'application/reports+json', inputsFor(CspReports).map(toText))],
  [
    1,
    post('/api/webhooks/stripe', 'application/json', stripeEvent.map(toText), {
      'stripe-signature': 't=1749643200,v1=abcdef',
    }),
  ],
)
