import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import type * as v from 'valibot'
import { Email } from '#contract/accounts/account-forms.ts'
import { CalendarDate, RestaurantName, TableNumber, TimeZone } from '#contract/primitives.ts'
import { weighted } from './weighted.ts'

export const password = 'copper-lantern-42'

/** What a reference can be to. */
export type ReferenceKind =
  | 'restaurant'
  | 'table'
  | 'tableId'
  | 'member'
  | 'section'
  | 'request'
  | 'message'
  | 'call'
  | 'note'
  | 'move'
  | 'button'
  | 'channel'
  | 'delivery'
  | 'deleted'
  | 'manager'
  | 'session'
  | 'apiToken'
  | 'passkey'
  | 'notice'
  | 'audit'
  | 'subscription'
  | 'own'
  | 'setupIntent'
  | 'proof'
  | 'shortCode'
  | 'buttonToken'
  | 'username'

/**
 * Stands for the n-th of its kind that the restaurant has when the input is sent: ids differ from run to run, and a
 * seed's inputs do not.
 */
const reference = (...kinds: ReferenceKind[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...kinds), fc.nat({ max: 5 })).map(([kind, n]) => `@${kind} ${n}@`)

export const referencePattern = /@(\w+) (\d+)@/gu

const days = fc
  .tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom('2025-06-11', '2024-02-28', '2025-12-31'))
  .map(([offset, day]) => new Date(Date.parse(day) + offset * 86_400_000).toISOString().slice(0, 10))

const zones = fc.constantFrom(
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'UTC',
  'utc',
  '+05:30',
  'Etc/GMT+12',
  'EST5EDT',
)

/** As small as a PNG can be. */
const picture = (() => {
  const header = Buffer.alloc(25)
  header.writeUInt32BE(13)
  header.write('IHDR', 4)
  header.writeUInt32BE(4, 8)
  header.writeUInt32BE(4, 12)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const bytes = Buffer.concat([signature, header, deflateSync(Buffer.alloc(60))])
  return `data:image/png;base64,${bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')}`
})()

const schemas = new Map<v.GenericSchema, fc.Arbitrary<unknown>>([
  [TableNumber, reference('table')],
  [CalendarDate, days],
  [TimeZone, zones],
  [Email, fc.constantFrom('a@example.com', "o'hara+1@example.co.uk")],
  [RestaurantName, fc.constantFrom('Blue Door', 'Café Ünal', '東京', "O'Hara & Sons")],
])

const address = fc.constantFrom(
  'https://hooks.invalid/a?b=c#d',
  'https://ntfy.invalid/my-topic',
  'a@example.com',
  'https://user:name@hooks.invalid/',
  'https://127.0.0.1/x',
  'https://[::1]/',
  'https://xn--a.invalid/',
  'HTTPS://Hooks.Invalid:443/%',
)

/** By the name of the field, where the schema is one of several of its kind. */
const fields: Record<string, fc.Arbitrary<unknown>> = {
  restaurantId: reference('restaurant'),
  restaurantName: reference('restaurant'),
  name: fc.constantFrom('Maya Chen', 'Tom', 'Ana', 'Terrace', 'Till'),
  username: reference('username'),
  password: fc.constant(password),
  currentPassword: fc.constant(password),
  tableId: reference('tableId'),
  crewMemberId: reference('member'),
  targetCrewId: reference('member'),
  senderCrewId: reference('member'),
  coverId: reference('member'),
  toId: reference('member'),
  crewIds: reference('member'),
  sectionId: reference('section'),
  requestId: reference('request'),
  messageId: reference('message'),
  setupIntentId: reference('setupIntent'),
  clientSecret: reference('setupIntent').map((id) => `${id}_secret_x`),
  before: reference('audit', 'delivery'),
  endpoint: fc.nat({ max: 9 }).map((n) => `https://push.invalid/${n}`),
  k: reference('proof'),
  token: reference('buttonToken'),
  address,
  menu: address,
  pay: address,
  qrCodeDataUrl: fc.constant(picture),
  digits: fc.constantFrom('482 917', '000000'),
  code: fc.constantFrom('000000', '123456', 'AAAA-BBBB-CCCC'),
  p256dh: fc.constant(Buffer.alloc(65, 4).toString('base64url')),
  auth: fc.constant(Buffer.alloc(16).toString('base64url')),
}

const idsIn: readonly (readonly [RegExp, ReferenceKind])[] = [
  [/deleted/u, 'deleted'],
  [/crew|hand-over/u, 'member'],
  [/short-links|\/tables/u, 'tableId'],
  [/sections/u, 'section'],
  [/service-requests|request/u, 'request'],
  [/notes/u, 'note'],
  [/buttons/u, 'button'],
  [/channels/u, 'channel'],
  [/deliveries/u, 'delivery'],
  [/managers/u, 'manager'],
  [/devices|sessions/u, 'session'],
  [/tokens/u, 'apiToken'],
  [/passkeys/u, 'passkey'],
  [/notices/u, 'notice'],
  [/push/u, 'subscription'],
  [/restaurants/u, 'own'],
  [/setup-intents/u, 'setupIntent'],
  [/role-message/u, 'call'],
  [/party/u, 'move'],
]

/** Texts that mean something in this field, such as ids of what is there. */
export type Known = (schema: v.GenericSchema, field: string) => fc.Arbitrary<unknown> | undefined

/** For the fields of a call or a message, whose path or type says what an `id` is the id of. */
export function knownIn(place: string): Known {
  const [, kind = 'request'] = idsIn.find(([pattern]) => pattern.test(place)) ?? []
  const ids = weighted(
    [4, reference(kind)],
    [1, reference('request', 'table', 'restaurant')],
    [1, fc.nat({ max: 30 }).map((n) => `made-up-${n}`)],
  )
  return (schema, field) => (field === 'id' || field === 'ids' ? ids : (schemas.get(schema) ?? fields[field]))
}
