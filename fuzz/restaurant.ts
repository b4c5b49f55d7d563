import { api } from '#contract/api.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import type { Ctx } from '../src/server/core/ctx.ts'
import { createProof } from '../src/server/core/floor/qr-links.ts'
import { read } from '../src/server/core/transaction.ts'
import * as restaurants from '../src/server/storage/accounts/restaurants.ts'
import type { Client } from './client.ts'
import type { Caller } from './inputs.ts'
import { password, type ReferenceKind } from './references.ts'

/** A restaurant with some of everything, and everybody signed in. */
export type Restaurant = {
  id: string
  name: string
  usernames: Usernames
  buttonToken: string
  clients: Record<Exclude<Caller, 'stranger'>, Client>
}

type Usernames = { manager: string; crew: string }
type Person = 'owner' | 'manager' | 'crew' | 'device'

export const logins: Record<
  Person,
  (client: Client, restaurant: Pick<Restaurant, 'name' | 'usernames'>) => Promise<unknown>
> = {
  owner: (client, { name }) => client.ok(api.accounts.ownerLogin, { body: { username: name, password } }),
  manager: (client, { name, usernames }) =>
    client.ok(api.managers.login, { body: { restaurantName: name, username: usernames.manager, password } }),
  crew: (client, { usernames }) =>
    client.ok(api.accounts.crewLogin, { body: { username: usernames.crew, password } }),
  device: (client, { name }) =>
    client.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } }),
}

export async function openRestaurant(
  ctx: Ctx,
  name: string,
  newClient: (bearer?: string) => Client,
): Promise<Restaurant> {
  // One address may not sign up so many.
  await ctx.limits.clear('new-name-all', '')
  for (const limit of ['new-name-hour', 'new-name-day'] as const) await ctx.limits.clear(limit, '127.0.0.1')
  const people = { owner: newClient(), manager: newClient(), crew: newClient(), device: newClient() }
  const guest = newClient()
  const usernames = { manager: `manager ${name}`, crew: `maya ${name}` }
  await people.owner.ok(api.accounts.signUp, {
    body: { restaurantName: name, password, email: 'owner@example.com', timeZone: 'Europe/Berlin' },
  })
  const { memberId, buttonToken, apiToken } = await setUp(people.owner, usernames)
  for (const person of ['manager', 'crew', 'device'] as const)
    await logins[person](people[person], { name, usernames })
  await work(name, { ...people, guest }, memberId)
  const { id } = await ctx.db.reader
    .selectFrom('restaurant')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return {
    id,
    name,
    usernames,
    buttonToken,
    clients: { ...people, guest, software: newClient(apiToken) },
  }
}

/** What an owner sets up, and deletes again. */
async function setUp(owner: Client, usernames: Usernames) {
  const [first, second] = await owner.ok(api.floor.setUp, {
    body: { setupType: 'custom', customTables: ['1', '2', 'Patio 3', 'Bar'] },
  })
  if (!first || !second) throw new Error('No tables were set up')
  const { id: memberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  await owner.ok(api.crew.add, { body: { name: 'Tom', role: 'Busser' } })
  await owner.ok(api.crew.add, { body: { name: 'Ana', role: 'Host' } })
  await owner.ok(api.crew.change, {
    params: { id: memberId },
    body: { username: usernames.crew, password },
  })
  await owner.ok(api.managers.setCredentials, { body: { username: usernames.manager, password } })
  await owner.ok(api.floor.assign, {
    body: { date: '2025-06-11', assignments: [{ tableId: first.id, crewMemberId: memberId }] },
  })
  const section = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
  await owner.ok(api.sections.arrange, { body: { tables: [{ tableId: first.id, sectionId: section.id }] } })
  await owner.ok(api.restaurant.change, { body: { managerNotes: true, expectedTimes: true } })
  await owner.ok(api.outsideAlerts.addChannel, {
    body: { kind: 'webhook', address: 'https://hooks.invalid/told' },
  })
  await subscribe(owner)
  await owner.ok(api.qr.sheet, {})
  const { token: buttonToken } = await owner.ok(api.tableButtons.add, {
    body: { tableId: second.id, serviceType: 'check' },
  })
  const { token: apiToken } = await owner.ok(api.apiTokens.create, {
    body: {
      name: 'Till',
      scopes: ['requests:read', 'requests:act', 'floor:read', 'seating:act', 'figures:read'],
      days: null,
    },
  })
  const table = await owner.ok(api.floor.addTable, { body: { tableNumber: 'Old' } })
  await owner.ok(api.floor.removeTable, { params: { id: table.id } })
  const member = await owner.ok(api.crew.add, { body: { name: 'Gone', role: 'Server' } })
  await owner.ok(api.crew.remove, { params: { id: member.id } })
  return { memberId, buttonToken, apiToken }
}

/** Some of what happens in a shift. */
async function work(
  name: string,
  { owner, manager, device, guest }: Record<Person | 'guest', Client>,
  memberId: string,
): Promise<void> {
  const table = { restaurantId: name, tableNumber: '1' }
  for (const serviceType of ['check', 'drinks'] as const)
    await guest.ok(api.requests.send, { body: { ...table, serviceType } })
  await guest.ok(api.guestNotes.send, {
    body: { id: `note-of-${name.replaceAll(' ', '-')}`, ...table, text: 'Cold soup' },
  })
  await device.ok(api.push.subscribe, {
    body: {
      endpoint: 'https://push.invalid/0',
      keys: {
        p256dh: Buffer.alloc(65, 4).toString('base64url'),
        auth: Buffer.alloc(16).toString('base64url'),
      },
      audience: 'crew',
      crewMemberId: memberId,
    },
  })
  for (const client of [owner, manager, device])
    await send(client, { type: 'set-crew-member-context', crewMemberId: memberId })
  await send(owner, { type: 'send-team-message', targetCrewId: memberId, messageText: 'Hello' })
  await send(owner, { type: 'send-role-message', role: 'Host', messageKey: 'TABLE_READY' })
}

const send = (client: Client, message: ClientMessageInput) => client.tell(JSON.stringify(message))

async function subscribe(owner: Client): Promise<void> {
  const { clientSecret, priceId } = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  const [setupIntentId = ''] = clientSecret.split('_secret_')
  await owner.ok(api.billing.confirmSandboxSetup, {
    params: { id: setupIntentId },
    body: { clientSecret, testCard: 'ok' },
  })
  await owner.ok(api.billing.confirm, { body: { setupIntentId, priceId } })
}

/** Where references lead. */
const columns = {
  table: ['floorTable', 'tableNumber'],
  tableId: ['floorTable', 'id'],
  member: ['crewMember', 'id'],
  section: ['section', 'id'],
  request: ['serviceRequest', 'id'],
  message: ['teamMessage', 'id'],
  call: ['roleCall', 'id'],
  note: ['managerNote', 'id'],
  move: ['partyMove', 'id'],
  button: ['tableButton', 'id'],
  channel: ['outsideChannel', 'id'],
  delivery: ['outsideEvent', 'id'],
  deleted: ['deletedItem', 'id'],
  manager: ['manager', 'id'],
  session: ['session', 'id'],
  apiToken: ['apiToken', 'id'],
  passkey: ['passkey', 'id'],
  notice: ['ownerNotice', 'id'],
  audit: ['auditEntry', 'id'],
  subscription: ['pushSubscription', 'id'],
  shortCode: ['shortLink', 'code'],
  setupIntent: ['paymentAttempt', 'setupIntentId'],
} as const satisfies Partial<Record<ReferenceKind, readonly [string, string]>>

/** What is there now, of each kind. */
export async function findReferents(
  ctx: Ctx,
  restaurant: Restaurant,
): Promise<ReadonlyMap<string, string[]>> {
  const { id, name, usernames, buttonToken } = restaurant
  const referents = new Map<string, string[]>()
  for (const [kind, [table, column]] of Object.entries(columns)) {
    const rows: Record<string, unknown>[] = await ctx.db.reader
      .selectFrom(table)
      .selectAll()
      .where('restaurantId', '=', id)
      .limit(20)
      .execute()
    referents.set(
      kind,
      rows.map((row) => String(row[column])),
    )
  }
  const stored = await restaurants.findById(read(ctx), id)
  const [tableId = null] = referents.get('tableId') ?? []
  referents.set('proof', stored ? [createProof(ctx, stored, tableId), createProof(ctx, stored, null)] : [])
  referents.set('restaurant', [stored?.name ?? name])
  referents.set('own', [id])
  referents.set('username', [stored?.name ?? name, usernames.manager, usernames.crew])
  referents.set('buttonToken', [buttonToken])
  return referents
}
