import fc from 'fast-check'
import { Stripe } from 'stripe'
import { readShortCode } from '#contract/guests/short-links.ts'
import { parse } from '#contract/parse.ts'
import { Catalogue } from '#contract/texts/catalogue.ts'
import { parseReturnPath } from '../src/client/features/accounts/return-to.ts'
import { parseScannedCode } from '../src/client/features/guest/entry/scanned-code.ts'
import { parseRedirectResult } from '../src/client/features/owner/subscription/redirect-result.ts'
import { examine, newWalk } from '../src/client/features/owner/walk/floor-walk.ts'
import { verifyEvent } from '../src/server/adapters/payments/stripe/events.ts'
import { ConfigError, readConfig } from '../src/server/config.ts'
import { Refusal } from '../src/server/core/errors.ts'
import { anyUnit, changed, nearly } from './changes.ts'
import { inputsFor } from './values.ts'
import { weighted } from './weighted.ts'

/** A text for one of our parsers, in the browser or on the server. */
export type ParsedText = { kind: 'text'; parser: keyof typeof parsers; text: string }

const origin = 'https://tables.example.com'
const link = `${origin}/customer?r=Blue+Door&t=7&k=1.abc`
const floor = {
  nameKeys: ['blue door'],
  cards: [{ id: 'a', tableNumber: '7', link, shortLink: `${origin}/t/AC3D-EFGH`, svg: '' }],
}
const stripe = new Stripe('sk_test_none')
const [secret, event] = ['whsec_current', JSON.stringify({ id: 'evt_1', type: 'invoice.paid' })]
const receivedAt = Date.parse('2025-06-11T12:00:00Z')
const signature = stripe.webhooks.generateTestHeaderString({
  payload: event,
  secret,
  timestamp: receivedAt / 1_000,
})

/** Throws any error but this kind, which says what is wrong with the text. */
function mayRefuse(kind: abstract new (...given: never[]) => Error, parseIt: () => void): void {
  try {
    parseIt()
  } catch (error) {
    if (!(error instanceof kind)) throw error
  }
}

const env = (text: string): Record<string, string> => {
  const at = Math.max(text.indexOf('='), 0)
  return { [text.slice(0, at)]: text.slice(at + 1) }
}

/** Each throws if it does with the text what it must not. */
const parsers = {
  'scanned code'(text: string) {
    const found = parseScannedCode(text)
    if (found?.restaurantId.trim() === '') throw new Error('It names no restaurant')
  },
  'code on a walk': (text: string) => void examine(newWalk, floor, text),
  'return path'(text: string) {
    const path = parseReturnPath(`?returnTo=${encodeURIComponent(text.toWellFormed())}`, origin)
    if (path !== null && new URL(path, origin).origin !== origin) throw new Error(`It leads to ${path}`)
  },
  'payment redirect': (text: string) => void parseRedirectResult(text),
  'short code'(text: string) {
    const code = readShortCode(text)
    if (code !== null && readShortCode(code) !== code) throw new Error(`It reads ${code} as another code`)
  },
  catalogue: (text: string) => void parse(Catalogue, JSON.parse(text)),
  'webhook signature': (text: string) =>
    mayRefuse(Refusal, () => {
      verifyEvent(stripe, Buffer.from(event), text, [secret], receivedAt)
      if (!text.includes(signature.slice(-64))) throw new Error('It took a wrong signature')
    }),
  setting: (text: string) => mayRefuse(ConfigError, () => void readConfig(env(text))),
}

const near = (...texts: string[]): fc.Arbitrary<string> =>
  weighted([6, nearly(...texts)], [1, fc.string({ unit: anyUnit, maxLength: 60 })])

const toJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

const links = [
  link,
  `${origin}/t/AC3D-EFGH`,
  'ac3d efgh',
  'http://[::1]/customer?r=%F0',
  'tables.example.com/t/AC3DEFGH',
]

const texts: Record<keyof typeof parsers, fc.Arbitrary<string>> = {
  'scanned code': fc.oneof(
    near(...links),
    changed(fc.constant({ restaurantId: 'Blue Door', tableNumber: 7 })).map(toJson),
  ),
  'code on a walk': near(...links),
  'return path': near(
    '/admin?x=1#y',
    '//evil.example',
    '/\\evil',
    'https:evil',
    '/./api/logout',
    'javascript:x',
  ),
  'payment redirect': near('?setup_intent=seti_1&price=price_1&redirect_status=succeeded'),
  'short code': near('AC3D-EFGH', 'ac3d efgh', 'SZB2–3456'),
  catalogue: inputsFor(Catalogue).map(toJson),
  'webhook signature': near(signature),
  setting: near(
    'PORT=3000',
    'PUBLIC_URL=https://tables.example.com',
    'DATABASE_URL=postgres://a:5432,b:5432/tableside?sslmode=verify-full',
    'TRUST_PROXY=10.0.0.0/8, loopback',
    'OUTBOUND_ALLOW=ntfy.lan,192.168.1.0/24',
    'BACKUP_EVERY=90m',
    'WORKERS=auto',
    'SMTP_URL=smtp://name:password@mail.example.com:587',
    'OTEL_TRACES_SAMPLER_ARG=0.1',
  ),
}

export const parsedTexts: fc.Arbitrary<ParsedText> = fc.oneof(
  ...(Object.keys(parsers) as (keyof typeof parsers)[]).map((parser) =>
    fc.record({ kind: fc.constant('text' as const), parser: fc.constant(parser), text: texts[parser] }),
  ),
)

export const parseText = ({ parser, text }: ParsedText): void => parsers[parser](text)
