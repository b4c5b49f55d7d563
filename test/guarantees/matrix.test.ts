import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, type Route } from '#contract/api.ts'
import { ClientMessage, type ClientMessageInput } from '#contract/live.ts'
import {
  liveOperations,
  type Operation,
  operationOf,
  permissions,
  type Right,
  type RouteOperation,
} from '#contract/permissions.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { targetResponseMs } from '#contract/requests/requests.ts'
import { notifyOwner } from '../../src/server/core/accounts/recovery/owner-notices.ts'
import { ensureShortLinks } from '../../src/server/core/guests/short-links.ts'
import { write } from '../../src/server/core/transaction.ts'
import { endpoints } from '../../src/server/http/endpoints.ts'
import * as outsideEvents from '../../src/server/storage/outside/outside-events.ts'
import * as tableButtons from '../../src/server/storage/requests/table-buttons.ts'
import { type TestResponse, password, setUpApp, type TestBrowser, type TestSocket } from '../support/app.ts'
import { startPushService } from '../support/outside/push-service.ts'
import { expectDocumented, expectDocumentedMessages } from '../support/reading/documented.ts'
import { smallPng } from '../support/reading/qr-reader.ts'
import { SoftwareAuthenticator } from '../support/restaurants/software-authenticator.ts'
import {
  assignmentDay,
  snapshotTenant,
  grantsOf,
  principals,
  startTenant,
  type Tenant,
  type PrincipalName,
} from '../support/restaurants/tenants.ts'

const pushService = await startPushService()
afterAll(() => pushService.stop())
const app = setUpApp({ pushService: pushService.pushService })
/** The restaurant whose users act, and the other one whose names and ids they also try. */
let own: Tenant
let other: Tenant
beforeAll(async () => {
  own = await startTenant(app, 'Harbour Kitchen')
  other = await startTenant(app, 'Rival Grill')
})

/** In the order of `principals`: guest, device, crew, manager, owner, owner+device. */
type Row = string
const expected = (row: Row, who: PrincipalName): string => row.split(' ')[principals.indexOf(who)] ?? ''

const dayAfterAssignments = '2027-03-02'
const weekAfterAssignments = '2027-03-08'

let count = 0
const fresh = (what: string): string => `${what} ${++count}`

type Sent = { params?: object; query?: object; body?: object }
type Probe = {
  /** The status that each principal gets for its own restaurant … */
  own: Row
  /** … and with the other restaurant's names and ids; null if the call carries none. */
  foreign: Row | null
  input?: (of: Tenant, as: TestBrowser) => Sent | Promise<Sent>
  /** Also ends the logins of others, so each principal sends it in a separate restaurant. */
  alone?: true
  /** Changes the session it is sent with, or may be used by anybody for any restaurant. */
  login?: true
  public?: true
}

const nobodyElse = '401 403 403 403'
const everybody = (status: number): Row => principals.map(() => status).join(' ')

/** Its push service takes everything: an alert that falls due on a slow machine must not remove the device. */
const newDevice = (crewMemberId: string) => {
  const { endpoint, keys } = pushService.device()
  return { endpoint, keys, audience: 'crew' as const, crewMemberId }
}

const newTable = async (of: Tenant) =>
  of.owner.ok(api.floor.addTable, { body: { tableNumber: fresh('Table') } })

const newest = (list: { id: string; signedInAt: number }[]): string =>
  list.toSorted((a, b) => b.signedInAt - a.signedInAt)[0]?.id ?? ''

async function newDeviceOf(of: Tenant): Promise<string> {
  app.advance(1)
  await of.enter('device')
  return newest(await of.owner.ok(api.devices.list, {}))
}

async function newOwnerSessionOf(of: Tenant): Promise<string> {
  app.advance(1)
  await of.enter('owner')
  return newest(await of.owner.ok(api.sessions.list, {}))
}

async function newPasskeyOf({ owner }: Tenant) {
  const setup = await owner.ok(api.passkeys.setUp, {})
  const authenticator = new SoftwareAuthenticator(app.ctx.settings.publicUrl)
  const credential = authenticator.create(setup)
  const { id } = await owner.ok(api.passkeys.add, { body: { name: 'Phone', credential } })
  return { id, authenticator }
}

const passkeys = new Map<Tenant, ReturnType<typeof newPasskeyOf>>()

/** The owner signs in with it. */
function passkeyOf(of: Tenant): ReturnType<typeof newPasskeyOf> {
  const passkey = passkeys.get(of) ?? newPasskeyOf(of)
  passkeys.set(of, passkey)
  return passkey
}

/** At a table of its own, so that its requests merge with no others. A subscription is needed to make one. */
async function newButtonOf(of: Tenant): Promise<{ id: string; token: string }> {
  const { id: tableId } = await newTable(of)
  const [id, token] = [app.ctx.newId(), app.ctx.secrets.newToken()]
  const row = { restaurantId: of.id, id, tableId, serviceType: 'check', createdAt: app.now() } as const
  const tokenHash = app.ctx.secrets.digest(token)
  await write(app.ctx, ({ db }) => tableButtons.insert(db, { ...row, tokenHash, pressedAt: null }))
  return { id, token }
}

/** A subscription is needed to have one made. */
async function tableWithShortLink(of: Tenant): Promise<string> {
  const { id: tableId } = await newTable(of)
  await write(app.ctx, ({ db }) => ensureShortLinks(app.ctx, db, of.id, [tableId]))
  return tableId
}

const newApiTokenOf = async ({ owner }: Tenant): Promise<string> => {
  const body = { name: 'Till', scopes: ['floor:read' as const], days: null }
  return (await owner.ok(api.apiTokens.create, { body })).apiToken.id
}

const newOutsideChannel = async ({ owner }: Tenant): Promise<string> =>
  (
    await owner.ok(api.outsideAlerts.addChannel, {
      body: { kind: 'webhook', address: 'https://hooks.invalid' },
    })
  ).channel.id

/** A restaurant may have only a few. */
async function outsideChannelOf(of: Tenant): Promise<string> {
  const { channels } = await of.owner.ok(api.outsideAlerts.settings, {})
  return channels[0]?.id ?? newOutsideChannel(of)
}

async function newDeliveryOf(of: Tenant): Promise<string> {
  const [restaurantId, channelId, id] = [of.id, await outsideChannelOf(of), app.ctx.newId()]
  const [at, data] = [app.now(), JSON.stringify({ restaurant: of.name })]
  const event = { restaurantId, channelId, source: id, id, type: 'test' as const, at, data, dueAt: at }
  // Nothing is kept for a webhook that is told nothing.
  await of.owner.ok(api.outsideAlerts.changeChannel, {
    params: { id: channelId },
    body: { topics: ['completions'] },
  })
  await write(app.ctx, ({ db }) => outsideEvents.insert(db, [event]))
  return id
}

/** With the restaurant's own word in it, so that the other restaurant has none of the same number. */
async function newTableNumberOf(of: Tenant): Promise<string> {
  const tableNumber = `${of.name} ${fresh('Table')}`
  return (await of.owner.ok(api.floor.addTable, { body: { tableNumber } })).tableNumber
}

/** At a table of its own, where the owner lets guests write to the manager. */
async function newNoteOf(of: Tenant) {
  const { tableNumber } = await newTable(of)
  await of.owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  return { id: fresh('note').replace(' ', '-'), restaurantId: of.name, tableNumber, text: 'The soup is cold' }
}

/** Written by a guest of that restaurant. */
async function sendNewNote(of: Tenant): Promise<string> {
  const { id } = await app.browser().ok(api.guestNotes.send, { body: await newNoteOf(of) })
  return id
}

/** A request at a separate table, so that it merges with no other. */
async function sendNewRequest(of: Tenant, as: TestBrowser): Promise<string> {
  const { tableNumber } = await newTable(of)
  const body = { restaurantId: of.name, tableNumber, serviceType: 'drinks' } as const
  return (await as.ok(api.requests.send, { body })).request.id
}

/** A guest's call about a request: from the device that sent it, and about somebody else's. */
const ownAsk = async (of: Tenant, as: TestBrowser) => ({
  params: { id: await sendNewRequest(of, of === own ? as : app.browser()) },
})

/** A payment that the other restaurant's owner started; nobody here ever started the one requested here. */
async function setupOf(of: Tenant): Promise<{ id: string; clientSecret: string; priceId: string }> {
  if (of === own) return { id: 'seti_none', clientSecret: 'seti_none_secret_none', priceId: 'price_none' }
  const { clientSecret, priceId } = await of.owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  return { id: clientSecret.replace(/_secret_.*/u, ''), clientSecret, priceId }
}

async function setup(of: Tenant): Promise<Sent> {
  const { id, priceId } = await setupOf(of)
  return { body: { setupIntentId: id, priceId } }
}

async function sandboxSetup(of: Tenant): Promise<Sent> {
  const { id, clientSecret } = await setupOf(of)
  return { params: { id }, body: { clientSecret, testCard: 'ok' } }
}

async function anotherManager({ owner }: Tenant): Promise<Sent> {
  const username = fresh('manager')
  await owner.ok(api.managers.setCredentials, { body: { username, password } })
  const { managers = [] } = await owner.ok(api.managers.currentUser, {})
  return { params: { id: managers.find((manager) => manager.username === username)?.id ?? '' } }
}

async function deletedTable(of: Tenant): Promise<Sent> {
  const { id } = await newTable(of)
  await of.owner.ok(api.floor.removeTable, { params: { id } })
  return { params: { id }, body: {} }
}

/** With a PIN, which only a recent sign-in brings back. */
async function deletedMember({ owner }: Tenant): Promise<Sent> {
  const { id } = await owner.ok(api.crew.add, { body: { name: fresh('Leaver'), role: 'Host' } })
  await owner.ok(api.crew.change, { params: { id }, body: { pin: '4711' } })
  await owner.ok(api.crew.remove, { params: { id } })
  return { params: { id }, body: {} }
}

async function deletedManager(of: Tenant): Promise<Sent> {
  const { params = {} } = await anotherManager(of)
  await of.owner.ok(api.managers.remove, { params: { id: '', ...params } })
  return { params, body: {} }
}

const probes: Record<RouteOperation, Probe> = {
  'accounts.currentUser': { own: '401 401 401 401 200 200', foreign: null },
  'accounts.session': { own: '401 200 200 200 200 200', foreign: null },
  'accounts.setupRestaurant': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 409 409`,
    input: ({ name }) => ({ body: { restaurantName: name } }),
  },
  'accounts.signUp': {
    own: everybody(409),
    foreign: everybody(409),
    input: ({ name }) => ({ body: { restaurantName: name, email: 'a@example.com', password } }),
    login: true,
  },
  // Only where the installation offers it.
  'accounts.tryDemo': { own: everybody(404), foreign: null, input: () => ({ body: {} }), login: true },
  'accounts.restaurantLogin': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name }) => ({ body: { restaurantName: name, password } }),
    login: true,
    public: true,
  },
  'accounts.setPassword': {
    own: `${nobodyElse} 400 400`,
    foreign: null,
    input: () => ({ body: { password: 'another-lantern-43', currentPassword: 'not-it' } }),
  },
  'secondFactors.authenticator': { own: '401 403 403 200 200 200', foreign: null },
  'secondFactors.beginAuthenticator': { own: '401 403 403 200 200 200', foreign: null },
  'secondFactors.turnAuthenticatorOn': {
    own: '401 403 403 400 400 400',
    foreign: null,
    input: () => ({ body: { code: 'not-it' } }),
  },
  'secondFactors.turnAuthenticatorOff': {
    own: '401 403 403 204 204 204',
    foreign: null,
    input: () => ({ body: { code: 'not-it' } }),
  },
  'passkeys.list': { own: '401 403 403 200 200 200', foreign: null },
  'passkeys.setUp': { own: '401 403 403 200 200 200', foreign: null },
  'passkeys.add': {
    own: '401 403 403 400 400 400',
    foreign: null,
    input: () => ({
      body: {
        name: 'Phone',
        credential: { id: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } },
      },
    }),
  },
  // Only one's own: the manager may not remove the owner's.
  'passkeys.remove': {
    own: '401 403 403 404 204 204',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: (await newPasskeyOf(of)).id } }),
    alone: true,
  },
  'passkeys.challenge': { own: everybody(200), foreign: null },
  'passkeys.login': {
    own: everybody(200),
    foreign: everybody(200),
    input: async (of, as) => {
      const { authenticator } = await passkeyOf(of)
      return { body: { credential: authenticator.get(await as.ok(api.passkeys.challenge, {})) } }
    },
    login: true,
    public: true,
  },
  'accounts.confirmationChallenge': { own: '401 403 403 200 200 200', foreign: null },
  'accounts.identity': { own: '401 403 403 200 200 200', foreign: null },
  'accounts.confirmIdentity': {
    own: '401 403 403 204 204 204',
    foreign: null,
    input: () => ({ body: { password } }),
  },
  'accounts.ownerLogin': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name }) => ({ body: { username: name, password } }),
    login: true,
    public: true,
  },
  'accounts.crewLogin': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ usernames }) => ({ body: { username: usernames.crew, password } }),
    login: true,
    public: true,
  },
  'managers.login': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name, usernames }) => ({
      body: { restaurantName: name, username: usernames.manager, password },
    }),
    login: true,
    public: true,
  },

  'managers.check': {
    own: '401 200 403 200 200 200',
    foreign: '401 404 403 404 404 404',
    input: ({ name }) => ({ params: { restaurantName: name } }),
  },
  'managers.setup': {
    own: '401 409 403 403 409 409',
    foreign: '401 404 403 403 404 404',
    input: ({ name }) => ({ body: { restaurantName: name, username: 'first', password } }),
  },
  'managers.currentUser': { own: '401 403 403 200 200 200', foreign: null },
  'managers.setCredentials': {
    own: '401 403 403 204 204 204',
    foreign: null,
    input: () => ({ body: { username: fresh('manager'), password } }),
  },
  'managers.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: anotherManager,
  },
  'managers.deleted': { own: `${nobodyElse} 200 200`, foreign: null },
  'managers.restore': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: deletedManager,
  },
  'managers.signOut': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: anotherManager,
  },
  'recovery.codes': { own: '401 403 403 200 200 200', foreign: null },
  'recovery.renewCodes': { own: '401 403 403 201 201 201', foreign: null },
  // Everybody may try; recovery.test.ts covers the effect.
  'recovery.byCode': {
    own: everybody(400),
    foreign: everybody(400),
    input: ({ name }) => ({ body: { restaurantName: name, code: 'a code', password: '12345' } }),
  },
  'recovery.byLink': {
    own: everybody(400),
    foreign: null,
    input: () => ({ body: { token: 'a token', password: '12345' } }),
  },
  'recovery.sendLink': {
    own: everybody(409),
    foreign: everybody(409),
    input: ({ name }) => ({ body: { restaurantName: name } }),
  },
  'ownerEmail.begin': {
    own: `${nobodyElse} 409 409`,
    foreign: null,
    input: () => ({ body: { email: 'new@example.com' } }),
  },
  'ownerEmail.confirm': {
    own: `${nobodyElse} 409 409`,
    foreign: null,
    input: () => ({ body: { code: '123456' } }),
  },
  'recovery.notices': { own: `${nobodyElse} 200 200`, foreign: null },
  'recovery.dismissNotice': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => {
      await write(app.ctx, ({ db }) => notifyOwner(app.ctx, db, of.id, 'password-reset-by-code'))
      const [notice] = await of.owner.ok(api.recovery.notices, {})
      return { params: { id: notice?.id ?? '' } }
    },
  },

  // All from one address: after four wrong attempts the link itself is refused.
  'devices.login': {
    own: '404 404 404 404 429 429',
    foreign: '404 404 404 404 429 429',
    input: ({ name }) => ({ body: { restaurantName: name, digits: '123456' } }),
    login: true,
  },
  'devices.link': {
    own: everybody(404),
    foreign: null,
    input: () => ({ body: { token: 'x'.repeat(32) } }),
  },
  'devices.linkLogin': {
    own: everybody(404),
    foreign: null,
    input: () => ({ body: { token: 'x'.repeat(32) } }),
    login: true,
  },
  'devices.createCode': { own: '401 403 403 201 201 201', foreign: null },
  'devices.code': {
    own: '401 403 403 404 404 200',
    foreign: '401 403 403 404 404 404',
    input: async ({ owner }) => ({ params: { id: (await owner.ok(api.devices.createCode, {})).id } }),
  },
  'devices.cancelCode': {
    own: '401 403 403 404 404 204',
    foreign: '401 403 403 404 404 404',
    input: async ({ owner }) => ({ params: { id: (await owner.ok(api.devices.createCode, {})).id } }),
  },
  'devices.list': { own: '401 403 403 200 200 200', foreign: null },
  'devices.rename': {
    own: '401 403 403 204 204 204',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: await newDeviceOf(of) }, body: { name: fresh('Tablet') } }),
  },
  'devices.signOut': {
    own: '401 403 403 204 204 204',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: await newDeviceOf(of) } }),
  },
  'sessions.list': { own: '401 403 403 200 200 200', foreign: null },
  'sessions.signOutOthers': { own: '401 403 403 204 204 204', foreign: null, alone: true },
  // Only one's own: the manager may not end the owner's.
  'sessions.signOut': {
    own: '401 403 403 404 204 204',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: await newOwnerSessionOf(of) } }),
  },
  'staffPassword.state': { own: `${nobodyElse} 200 200`, foreign: null },
  'staffPassword.set': {
    own: `${nobodyElse} 204 204`,
    foreign: null,
    input: () => ({ body: { password: `${password}-staff` } }),
  },
  'staffPassword.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: null,
    // Set by those who are allowed to.
    input: async (_, as) => {
      await as.call(api.staffPassword.set, { body: { password: `${password}-staff` } })
      return {}
    },
    alone: true,
  },

  'crew.byRestaurant': {
    own: '401 200 200 200 200 200',
    foreign: '401 404 404 404 404 404',
    input: ({ name }) => ({ query: { restaurantId: name } }),
  },
  'crew.list': { own: '401 403 403 200 200 200', foreign: null },
  'crew.add': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { name: fresh('Crew'), role: 'Server' } }),
  },
  'crew.details': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ member }) => ({ params: { id: member.id } }),
  },
  'crew.change': {
    own: '401 403 200 403 200 200',
    foreign: '401 403 404 403 404 404',
    input: ({ member }) => ({ params: { id: member.id }, body: { pin: null } }),
  },
  'crew.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async ({ owner }) => ({
      params: { id: (await owner.ok(api.crew.add, { body: { name: fresh('Leaver'), role: 'Host' } })).id },
    }),
  },
  'crew.deleted': { own: `${nobodyElse} 200 200`, foreign: null },
  'crew.restore': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: deletedMember,
  },

  'floor.tablesByRestaurant': {
    own: '401 200 200 200 200 200',
    foreign: '401 404 404 404 404 404',
    input: ({ name }) => ({ query: { restaurantId: name } }),
  },
  'floor.crewAssignments': {
    own: '401 200 200 200 200 200',
    foreign: '401 404 404 404 404 404',
    input: ({ name, member }) => ({
      query: { restaurantId: name, crewMemberId: member.id, date: assignmentDay },
    }),
  },
  'floor.tables': { own: '401 403 403 200 200 200', foreign: null },
  'floor.hostStand': { own: '401 403 403 200 200 200', foreign: null },
  'floor.assignmentsByDate': {
    own: '401 403 403 200 200 200',
    foreign: null,
    input: () => ({ query: { date: assignmentDay } }),
  },
  'floor.assign': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ table, member }) => ({
      body: { date: assignmentDay, assignments: [{ tableId: table.id, crewMemberId: member.id }] },
    }),
  },
  'floor.copyFromPrevious': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { date: dayAfterAssignments } }),
  },
  'floor.copyToWeek': {
    own: `${nobodyElse} 204 204`,
    foreign: null,
    input: () => ({ body: { sourceDate: assignmentDay } }),
  },
  'floor.assignHostStand': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ host }) => ({ body: { date: assignmentDay, crewIds: [host.id] } }),
  },
  'floor.setUp': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { setupType: 'custom', customTables: [fresh('Table')] } }),
  },
  'floor.addTable': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { tableNumber: fresh('Table'), category: 'table' } }),
  },
  'sections.add': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { name: fresh('Section') } }),
  },
  'sections.change': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ section }) => ({ params: { id: section.id }, body: { name: fresh('Section') } }),
  },
  'sections.reorder': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async ({ owner }) => ({
      body: { ids: (await owner.ok(api.tables.plan, {})).sections.map(({ id }) => id).toReversed() },
    }),
  },
  'sections.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async ({ owner }) => ({
      params: { id: (await owner.ok(api.sections.add, { body: { name: fresh('Section') } })).id },
    }),
  },
  'sections.deleted': { own: `${nobodyElse} 200 200`, foreign: null },
  'sections.restore': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async ({ owner }) => {
      const { id } = await owner.ok(api.sections.add, { body: { name: fresh('Section') } })
      await owner.ok(api.sections.remove, { params: { id } })
      return { params: { id }, body: {} }
    },
  },
  'sections.arrange': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ table, section }) => ({
      body: { tables: [{ tableId: table.id, sectionId: section.id, place: { x: 1, y: 2 } }] },
    }),
  },
  'sections.assign': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ section, member }) => ({
      body: { date: assignmentDay, sections: [{ sectionId: section.id, crewMemberId: member.id }] },
    }),
  },
  'weeklyPattern.state': {
    own: '401 403 403 200 200 200',
    foreign: null,
    input: () => ({ query: { date: assignmentDay } }),
  },
  'weeklyPattern.save': {
    own: `${nobodyElse} 204 204`,
    foreign: null,
    input: () => ({ body: { sourceDate: assignmentDay, weekdays: [0, 1] } }),
  },
  // The first ends it.
  'weeklyPattern.end': {
    own: `${nobodyElse} 204 404`,
    foreign: null,
    input: async ({ owner }) => {
      await owner.ok(api.weeklyPattern.save, { body: { sourceDate: assignmentDay, weekdays: [6] } })
      return { body: { weekday: 6 } }
    },
  },
  'weeklyPattern.resume': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: async ({ owner }) => {
      await owner.ok(api.weeklyPattern.save, { body: { sourceDate: assignmentDay, weekdays: [0] } })
      return { body: { date: weekAfterAssignments } }
    },
  },
  'weeklyPattern.clearDay': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { date: weekAfterAssignments } }),
  },
  'tables.plan': { own: '401 200 200 200 200 200', foreign: null },
  'floor.removeTable': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: (await newTable(of)).id }, query: { confirm: 'true' } }),
  },
  'floor.deletedTables': { own: `${nobodyElse} 200 200`, foreign: null },
  'floor.restoreTable': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: deletedTable,
  },

  'qr.mine': { own: '401 403 403 404 404 404', foreign: null },
  'qr.generate': {
    own: `${nobodyElse} 402 402`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ name }) => ({ body: { restaurantId: name, qrCodeDataUrl: smallPng } }),
  },
  'qr.remove': { own: `${nobodyElse} 204 204`, foreign: null },
  'qr.sheet': { own: '401 403 403 200 402 402', foreign: null },
  'qr.revokeShortLink': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await tableWithShortLink(of) } }),
  },

  'billing.config': { own: `${nobodyElse} 200 200`, foreign: null },
  'billing.subscription': { own: `${nobodyElse} 200 200`, foreign: null },
  'billing.create': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { planType: 'monthly' } }),
  },
  'billing.confirm': {
    own: `${nobodyElse} 404 404`,
    foreign: `${nobodyElse} 404 404`,
    input: setup,
  },
  'billing.confirmSandboxSetup': {
    own: `${nobodyElse} 404 404`,
    foreign: `${nobodyElse} 404 404`,
    input: sandboxSetup,
  },
  'billing.advanceSandbox': { own: `${nobodyElse} 409 409`, foreign: null },
  'billing.cancel': { own: `${nobodyElse} 409 409`, foreign: null },
  'billing.resume': { own: `${nobodyElse} 409 409`, foreign: null },
  'billing.changePlan': {
    own: `${nobodyElse} 409 409`,
    foreign: null,
    input: () => ({ body: { planType: 'yearly' } }),
  },
  'billing.portal': { own: `${nobodyElse} 409 409`, foreign: null },

  'analytics.figures': {
    own: '401 403 200 200 200 200',
    foreign: null,
    input: () => ({ query: { from: assignmentDay, to: assignmentDay } }),
  },
  'analytics.events': {
    own: '401 403 200 200 200 200',
    foreign: null,
    input: () => ({ query: { from: assignmentDay, to: assignmentDay } }),
  },
  'analytics.overview': { own: '401 403 403 200 200 200', foreign: null },
  'analytics.doneToday': { own: '401 200 200 200 200 200', foreign: null },
  'analytics.expectedTimes': { own: '401 403 403 200 200 200', foreign: null },
  'firstSteps.list': { own: `${nobodyElse} 200 200`, foreign: null },
  'firstSteps.finish': { own: `${nobodyElse} 204 204`, foreign: null },
  'guestCard.state': { own: `${nobodyElse} 200 200`, foreign: null },
  'guestCard.set': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { menu: '', pay: '', wifiName: '', wifiPassword: '' } }),
  },
  'needs.state': { own: '401 403 403 200 200 200', foreign: null },
  'needs.set': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { needs: [] } }),
  },
  'seating.list': { own: '401 200 200 200 200 200', foreign: null },
  'seating.open': {
    own: '401 204 204 204 204 204',
    foreign: '401 404 404 404 404 404',
    input: async (of) => ({ body: { tableNumber: await newTableNumberOf(of) } }),
  },
  'seating.close': {
    own: '401 200 200 200 200 200',
    foreign: '401 404 404 404 404 404',
    input: async (of) => ({ body: { tableNumber: await newTableNumberOf(of) } }),
  },
  // Nobody has closed that table.
  'seating.undoClose': {
    own: '401 409 409 409 409 409',
    foreign: '401 404 404 404 404 404',
    input: async (of) => ({ body: { tableNumber: await newTableNumberOf(of) } }),
  },
  'guestNotes.send': {
    own: everybody(201),
    foreign: everybody(201),
    input: async (of) => ({ body: await newNoteOf(of) }),
    public: true,
  },
  'guestNotes.mine': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name }) => ({ query: { restaurantId: name } }),
    public: true,
  },
  'managerNotes.list': { own: '401 403 403 200 200 200', foreign: null },
  'managerNotes.markSeen': {
    own: '401 403 403 204 204 204',
    foreign: '401 403 403 204 204 204',
    input: async (of) => ({ body: { ids: [await sendNewNote(of)] } }),
  },
  'managerNotes.take': {
    own: '401 403 403 200 200 200',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: await sendNewNote(of) }, body: {} }),
  },
  'managerNotes.close': {
    own: '401 403 403 200 200 200',
    foreign: '401 403 403 404 404 404',
    input: async (of) => ({ params: { id: await sendNewNote(of) }, body: { answer: 'Thank you' } }),
  },
  'opening.state': { own: '401 403 403 200 200 200', foreign: null },
  'opening.setHours': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { hours: null } }),
  },
  'opening.pause': {
    own: '401 403 403 200 200 200',
    foreign: null,
    input: () => ({ body: { serviceType: 'food', minutes: 1, reason: 'kitchen' } }),
  },
  'opening.resume': {
    own: '401 403 403 200 200 200',
    foreign: null,
    input: () => ({ params: { serviceType: 'food' } }),
  },
  'apiTokens.list': { own: `${nobodyElse} 200 200`, foreign: null },
  'apiTokens.create': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { name: 'Till', scopes: ['floor:read'], days: 30 } }),
  },
  'apiTokens.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await newApiTokenOf(of) } }),
  },
  // Software with a token is not a browser: see core/accounts/sessions/api-tokens.test.ts.
  'apiTokens.own': { own: `${nobodyElse} 403 403`, foreign: null },
  'tableButtons.list': { own: `${nobodyElse} 200 200`, foreign: null },
  'tableButtons.add': {
    own: `${nobodyElse} 402 402`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ table }) => ({ body: { tableId: table.id, serviceType: 'check' } }),
  },
  'tableButtons.remove': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: (await newButtonOf(of)).id } }),
  },
  'buttons.press': {
    own: everybody(201),
    foreign: everybody(201),
    input: async (of) => ({ body: { token: (await newButtonOf(of)).token } }),
    public: true,
  },
  'audit.list': { own: `${nobodyElse} 200 200`, foreign: null },
  'audit.download': { own: `${nobodyElse} 200 200`, foreign: null },
  'escalation.settings': { own: '401 403 403 200 200 200', foreign: null },
  'escalation.setSettings': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: defaultEscalation }),
  },
  'outsideAlerts.settings': { own: `${nobodyElse} 200 200`, foreign: null },
  'outsideAlerts.setDelay': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { afterMs: 60_000 } }),
  },
  'outsideAlerts.addChannel': {
    own: `${nobodyElse} 201 201`,
    foreign: null,
    input: () => ({ body: { kind: 'webhook', address: 'https://hooks.invalid/x' } }),
  },
  'outsideAlerts.changeChannel': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) }, body: { alerts: true } }),
  },
  'outsideAlerts.removeChannel': {
    own: `${nobodyElse} 204 204`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await newOutsideChannel(of) } }),
  },
  'outsideAlerts.deliveries': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) } }),
  },
  'outsideAlerts.sendAgain': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await newDeliveryOf(of) } }),
  },
  // Web addresses need no code.
  'outsideAlerts.confirmChannel': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) }, body: { code: '123456' } }),
  },
  'outsideAlerts.sendCode': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) } }),
  },
  'outsideAlerts.sendTest': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) } }),
  },
  // Web addresses get no reports.
  'outsideAlerts.sendReport': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 404 404`,
    input: async (of) => ({ params: { id: await outsideChannelOf(of) } }),
  },
  'ownRestaurants.list': { own: `${nobodyElse} 200 200`, foreign: null },
  // Names are taken, whoever's they are.
  'ownRestaurants.add': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 409 409`,
    input: ({ name }) => ({ body: { restaurantName: name } }),
  },
  'ownRestaurants.glance': {
    own: `${nobodyElse} 200 200`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ id }) => ({ params: { id } }),
  },
  // They are there already.
  'ownRestaurants.switchTo': {
    own: `${nobodyElse} 409 409`,
    foreign: `${nobodyElse} 404 404`,
    input: ({ id }) => ({ params: { id } }),
  },
  'restaurant.settings': { own: '401 403 403 200 200 200', foreign: null },
  'retention.state': { own: `${nobodyElse} 200 200`, foreign: null },
  'retention.set': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { requests: 400, messages: null, log: null } }),
  },
  'restaurant.ending': { own: `${nobodyElse} 200 200`, foreign: null },
  'restaurant.remove': {
    own: `${nobodyElse} 400 400`,
    foreign: null,
    input: () => ({ body: { restaurantName: 'Not its name' } }),
  },
  'restaurant.restore': { own: `${nobodyElse} 409 409`, foreign: null },
  'restaurant.download': { own: `${nobodyElse} 200 200`, foreign: null },
  'restaurant.change': {
    own: `${nobodyElse} 200 200`,
    foreign: null,
    input: () => ({ body: { timeZone: 'Europe/Berlin' } }),
  },

  'tables.history': {
    own: '401 200 200 200 200 200',
    foreign: null,
    input: () => ({ query: { tableNumber: '1' } }),
  },

  'tables.party': {
    own: '401 200 200 200 200 200',
    foreign: null,
    input: () => ({ query: { tableNumber: '1' } }),
  },

  'push.key': { own: '401 200 200 200 200 200', foreign: null },
  'push.subscribe': {
    own: '401 201 201 201 201 201',
    foreign: '401 404 404 404 404 404',
    input: ({ member }) => ({ body: newDevice(member.id) }),
  },
  'push.unsubscribe': {
    own: '401 204 204 204 204 204',
    foreign: '401 404 404 404 404 404',
    input: async (of, as) => {
      const { body } = await (of === own ? as : of.owner).call(api.push.subscribe, {
        body: newDevice(of.member.id),
      })
      return { params: { id: body.id ?? 'none' } }
    },
  },
  // On a device without alerts.
  'push.act': {
    own: '401 409 409 409 409 409',
    foreign: '401 409 409 409 409 409',
    input: async (of) => ({
      body: {
        endpoint: newDevice(of.member.id).endpoint,
        requestId: await sendNewRequest(of, of.owner),
        action: 'complete',
      },
    }),
  },

  'requests.send': {
    own: everybody(201),
    foreign: everybody(201),
    input: async (of) => ({
      body: { restaurantId: of.name, tableNumber: (await newTable(of)).tableNumber, serviceType: 'check' },
    }),
    public: true,
  },
  'requests.mine': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name, table }) => ({ query: { restaurantId: name, tableNumber: table.tableNumber } }),
    public: true,
  },
  'requests.cancel': { own: everybody(200), foreign: everybody(403), input: ownAsk },
  'requests.stillWaiting': {
    own: everybody(200),
    foreign: everybody(403),
    input: async (of, as) => {
      const asks = await ownAsk(of, as)
      app.advance(targetResponseMs.drinks)
      return asks
    },
  },
  'requests.correctTable': {
    own: everybody(200),
    foreign: everybody(200),
    input: ({ name, table }) => ({
      body: { restaurantId: name, tableNumber: table.tableNumber, from: 'no such table' },
    }),
    public: true,
  },
}

/** Pages that a browser navigates to instead of fetching. */
const navigations: { operation: Operation; path: string; form?: Record<string, string>; row: Row }[] = [
  { operation: 'login.begin', path: '/api/login', row: everybody(302) },
  { operation: 'login.finish', path: '/api/login/callback', row: everybody(302) },
  { operation: 'login.signOut', path: '/api/logout', row: everybody(302) },
  { operation: 'demo.enterAsCrew', path: '/api/demo-crew/no-such-key', row: everybody(404) },
  { operation: 'shortLinks.open', path: '/t/AAAA-AAAA', row: everybody(400) },
  { operation: 'visits.openGuestPage', path: '/customer', row: everybody(200) },
  {
    operation: 'visits.resetVisit',
    path: '/customer',
    form: { action: 'reset', r: 'No Such Place', t: '7' },
    row: everybody(404),
  },
]

const routes = new Map<Operation, Route>(
  Object.values(api)
    .flatMap((group): Route[] => Object.values(group))
    .map((route) => [operationOf(route), route]),
)

const rightsOf = (operation: Operation, who: PrincipalName): Right[] =>
  grantsOf(who).map((kind) => permissions[operation][kind])

describe('the permission matrix', () => {
  it('has exactly one row for every route and every live message', () => {
    expect(Object.keys(probes).toSorted()).toEqual([...routes.keys()].toSorted())
    expect(endpoints.map(({ route }) => operationOf(route)).toSorted()).toEqual([...routes.keys()].toSorted())
    const messages = ClientMessage.options.map(({ entries }) => entries.type.literal)
    expect(Object.keys(liveProbes).toSorted()).toEqual(messages.toSorted())
    const used = new Set([
      ...routes.keys(),
      ...messages.map((type) => liveOperations[type]),
      ...navigations.map(({ operation }) => operation),
    ])
    expect(Object.keys(permissions).toSorted()).toEqual([...used].toSorted())
  })

  it.for(principals)('grants %s the same rights as the routes and messages', (who) => {
    for (const [operation, { own }] of Object.entries(probes) as [RouteOperation, Probe][]) {
      const refused = rightsOf(operation, who).every((right) => right === 'no')
      expect({ operation, refused: /^40[13]$/u.test(expected(own, who)) }).toEqual({ operation, refused })
    }
    for (const [type, { own }] of Object.entries(liveProbes) as [ClientMessage['type'], LiveProbe][]) {
      const refused = rightsOf(liveOperations[type], who).every((right) => right === 'no')
      expect({ type, refused: expected(own, who) === 'F' }).toEqual({ type, refused })
    }
  })
})

/** No answer may contain anything of the other restaurant. */
function hasForeign(answer: unknown): boolean {
  const text = JSON.stringify(answer) ?? ''
  const { id, name, member, colleague, host, table, section, hostStand } = other
  return [
    id,
    name,
    'Rival',
    ...[member, colleague, host, table, section, hostStand].map((entity) => entity.id),
  ].some((part) => text.includes(part))
}

const visitors = new Map<PrincipalName, TestBrowser>()

const staleVisitors = new Map<PrincipalName, TestBrowser>()

/** Some probes advance the clock: makes everybody's sign-in recent again. */
async function renewSignIns(): Promise<void> {
  await write(app.ctx, ({ db }) => db.updateTable('sessionGrant').set({ authAt: app.now() }).execute())
  staleVisitors.clear()
}

/** A principal whose sign-in is still valid, but not recent. */
async function staleBrowserOf(who: PrincipalName): Promise<TestBrowser> {
  const known = staleVisitors.get(who)
  if (known) return known
  const browser = await own.enter(who)
  const tokenHash = app.ctx.secrets.digest(browser.cookies.get('tsr') ?? '')
  await write(app.ctx, ({ db }) =>
    db
      .updateTable('sessionGrant')
      .set((e) => ({ authAt: e('authAt', '-', 16 * 60_000) }))
      .where('sessionId', 'in', (e) =>
        e.selectFrom('session').select('id').where('tokenHash', '=', tokenHash),
      )
      .execute(),
  )
  staleVisitors.set(who, browser)
  return browser
}

const needsRecentSignIn = (operation: Operation, who: PrincipalName): boolean => {
  const rights = rightsOf(operation, who)
  return !rights.includes('yes') && rights.some((right) => right === 'recent' || right === 'login-recent')
}

async function browserOf(who: PrincipalName, probe: Probe): Promise<TestBrowser> {
  const known = probe.login ? undefined : visitors.get(who)
  const browser = known ?? (await own.enter(who))
  if (!probe.login) visitors.set(who, browser)
  return browser
}

/** Creates every precondition now, so that later only the call itself can change anything. */
async function prepare(
  operation: RouteOperation,
  of: Tenant,
): Promise<Map<PrincipalName, () => Promise<TestResponse<unknown>>>> {
  const [route, probe] = [routes.get(operation), probes[operation]]
  if (!route) throw new Error(`${operation} is not in the contract`)
  await renewSignIns()
  const calls = new Map<PrincipalName, () => Promise<TestResponse<unknown>>>()
  for (const who of principals) {
    const quiet = probe.alone && (await startTenant(app, fresh('Quiet').replace(' ', '-')))
    const browser = await (quiet ? quiet.enter(who) : browserOf(who, probe))
    const sent = (await probe.input?.(quiet && of === own ? quiet : of, browser)) ?? {}
    calls.set(who, async () => expectDocumented(operation, await browser.call(route, sent)))
  }
  return calls
}

const allProbes = Object.entries(probes) as [RouteOperation, Probe][]

describe('an operation', () => {
  it.for(allProbes)('%s answers each principal as it should', async ([operation, probe]) => {
    const calls = await prepare(operation, own)
    const before = await snapshotTenant(app, own.id)
    const answers = new Map<PrincipalName, TestResponse<unknown>>()
    const isRefused = (who: PrincipalName) => /^40[13]$/u.test(expected(probe.own, who))
    for (const [who, send] of calls) if (isRefused(who)) answers.set(who, await send())
    expect(await snapshotTenant(app, own.id)).toEqual(before)
    for (const [who, send] of calls) if (!isRefused(who)) answers.set(who, await send())

    expect(principals.map((who) => answers.get(who)?.status).join(' ')).toBe(probe.own)
    expect([...answers.values()].filter(({ body }) => hasForeign(body))).toEqual([])
    const refusals = [...answers.values()].filter(({ status }) => status >= 400)
    const refused = { code: expect.any(String), message: expect.any(String) }
    const limited = { ...refused, params: { seconds: expect.any(Number) } }
    expect(refusals.map(({ body }) => body)).toEqual(
      refusals.map(({ status }) => (status === 429 ? limited : refused)),
    )
  })

  it.for(allProbes.filter(([, { foreign }]) => foreign !== null))(
    '%s leaves the other restaurant unchanged, and reveals nothing of it',
    async ([operation, probe]) => {
      const calls = await prepare(operation, other)
      const before = await snapshotTenant(app, other.id)
      const answers: TestResponse<unknown>[] = []
      for (const send of calls.values()) answers.push(await send())
      expect(answers.map(({ status }) => status).join(' ')).toBe(probe.foreign)
      if (probe.public) return
      expect(await snapshotTenant(app, other.id)).toEqual(before)
      expect(answers.filter(({ body }) => hasForeign(body))).toEqual([])
    },
  )

  it.for(allProbes.filter(([operation]) => principals.some((who) => needsRecentSignIn(operation, who))))(
    '%s asks for confirmation if the sign-in is not recent',
    async ([operation, probe]) => {
      const route = routes.get(operation)
      const timed = principals.filter((who) => needsRecentSignIn(operation, who))
      await renewSignIns()
      const sent = (await probe.input?.(own, own.owner)) ?? {}
      const before = await snapshotTenant(app, own.id)
      for (const who of timed) {
        const browser = await staleBrowserOf(who)
        expect({ who, ...(route && (await browser.call(route, sent))) }).toMatchObject({
          who,
          status: 403,
          body: { code: 'recent_sign_in_required', message: 'Please confirm that it is you to do that' },
        })
      }
      expect(await snapshotTenant(app, own.id)).toEqual(before)
      for (const who of principals.filter((who) => !timed.includes(who))) {
        const browser = await staleBrowserOf(who)
        const { status } = route ? await browser.call(route, sent) : { status: 0 }
        expect({ who, status: String(status) }).toEqual({ who, status: expected(probe.own, who) })
      }
    },
  )

  it('lets an owner without a recent sign-in change details of a crew member other than logins', async () => {
    const owner = await staleBrowserOf('owner')
    const change = { params: { id: own.colleague.id }, body: { role: 'Busser' } } as const
    expect((await owner.call(api.crew.change, change)).status).toBe(200)
    for (const body of [{ pin: '4711' }, { username: 'tom' }, { password }, { name: 'Tom', pin: null }]) {
      const answer = await owner.call(api.crew.change, { ...change, body })
      expect(answer).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } })
    }
  })

  it.for(navigations)('$operation answers everybody alike', async ({ path, form, row }) => {
    const statuses: number[] = []
    for (const who of principals) {
      const browser = await own.enter(who)
      const body = new URLSearchParams(form).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = form
        ? await browser.fetch(path, { method: 'POST', headers, body })
        : await browser.send('GET', path)
      statuses.push(answer.status)
    }
    expect(statuses.join(' ')).toBe(row)
  })

  it('for Stripe does not exist where Stripe is not used', async () => {
    const answers = [...visitors.values()].map((browser) => browser.send('POST', '/api/webhooks/stripe', {}))
    for (const answer of answers)
      expect(await answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('that takes browsers’ reports of blocked scripts is for everybody', async () => {
    for (const browser of visitors.values()) {
      const answer = await browser.fetch('/api/csp-reports', {
        method: 'POST',
        headers: { 'content-type': 'application/reports+json' },
        body: '[]',
      })
      expect(answer.status).toBe(204)
    }
  })

  it('refuses ids of the other restaurant even among own ones', async () => {
    const [device, owner] = [await own.enter('device'), await own.enter('owner')]
    const phone = newDevice(own.member.id)
    await device.ok(api.push.subscribe, { body: phone })
    const requestId = await sendNewRequest(other, app.browser())
    const { sections } = await owner.ok(api.tables.plan, {})
    const before = [await snapshotTenant(app, own.id), await snapshotTenant(app, other.id)]
    const mixed = [{ tableId: own.table.id, crewMemberId: own.member.id }]
    const date = '2027-03-02'
    const answers = [
      await device.call(api.floor.crewAssignments, {
        query: { restaurantId: own.name, crewMemberId: other.member.id, date: assignmentDay },
      }),
      await device.call(api.floor.crewAssignments, {
        query: { restaurantId: other.name, crewMemberId: own.member.id, date: assignmentDay },
      }),
      await owner.call(api.floor.assign, {
        body: { date, assignments: [...mixed, { tableId: own.table.id, crewMemberId: other.member.id }] },
      }),
      await owner.call(api.floor.assign, {
        body: { date, assignments: [...mixed, { tableId: other.table.id, crewMemberId: own.member.id }] },
      }),
      await owner.call(api.floor.assign, {
        body: { date, assignments: [...mixed, { tableId: other.table.id, crewMemberId: null }] },
      }),
      await owner.call(api.floor.assignHostStand, { body: { date, crewIds: [own.host.id, other.host.id] } }),
      await owner.call(api.floor.removeTable, { params: { id: other.hostStand.id }, query: {} }),
      await owner.call(api.sections.arrange, {
        body: {
          tables: [
            { tableId: own.table.id, place: { x: 3, y: 4 } },
            { tableId: other.table.id, sectionId: own.section.id },
          ],
        },
      }),
      await owner.call(api.sections.arrange, {
        body: { tables: [{ tableId: own.table.id, sectionId: other.section.id }] },
      }),
      await owner.call(api.sections.assign, {
        body: { date, sections: [{ sectionId: own.section.id, crewMemberId: other.member.id }] },
      }),
      await owner.call(api.sections.assign, {
        body: {
          date,
          sections: [
            { sectionId: own.section.id, crewMemberId: own.member.id },
            { sectionId: other.section.id, crewMemberId: own.member.id },
          ],
        },
      }),
      await owner.call(api.sections.reorder, {
        body: { ids: [...sections.slice(1).map(({ id }) => id), other.section.id] },
      }),
      await owner.call(api.crew.change, {
        params: { id: own.member.id },
        body: { sectionId: other.section.id },
      }),
      await device.call(api.push.act, { body: { endpoint: phone.endpoint, requestId, action: 'accept' } }),
      await device.call(api.push.act, { body: { endpoint: phone.endpoint, requestId, action: 'complete' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect([await snapshotTenant(app, own.id), await snapshotTenant(app, other.id)]).toEqual(before)
  })

  it('shows crew only their own data', async () => {
    const crew = await own.enter('crew')
    const query = { restaurantId: own.name, crewMemberId: own.colleague.id, date: assignmentDay }
    expect(await crew.call(api.floor.crewAssignments, { query })).toMatchObject({ status: 403 })
    const change = (id: string, body: object) => crew.call(api.crew.change, { params: { id }, body })
    expect(await change(own.colleague.id, { pin: '4711' })).toMatchObject({ status: 403 })
    for (const body of [
      { name: 'Boss' },
      { role: 'Host' },
      { username: 'boss' },
      { username: null },
      { password },
      { pin: '4711', role: 'Host' },
    ]) {
      expect(await change(own.member.id, body)).toMatchObject({ status: 403 })
    }
  })

  it('creates codes for a restaurant whose subscription is active', async () => {
    const { id: restaurantId, owner, name } = await startTenant(app, 'Paying Place')
    const body = { restaurantId: name, qrCodeDataUrl: smallPng }
    expect((await owner.call(api.qr.generate, { body })).status).toBe(402)
    await write(app.ctx, ({ db }) =>
      db
        .insertInto('subscription')
        .values({
          restaurantId,
          provider: 'sandbox',
          subscriptionId: 'sub_test',
          setupIntentId: null,
          status: 'trialing',
          plan: 'monthly',
          priceId: 'price_test',
          nextPlan: null,
          currentPeriodEnd: null,
          cancelAtPeriodEnd: 0,
          asOf: 0,
        })
        .execute(),
    )
    expect((await owner.call(api.qr.generate, { body })).status).toBe(201)
    expect((await owner.call(api.qr.mine, {})).body).toMatchObject({ restaurantId: name })
    expect((await owner.call(api.qr.sheet, {})).status).toBe(200)
    expect((await owner.call(api.qr.remove, {})).status).toBe(204)
  })

  it('shows a manager less of the account than the owner', async () => {
    const [manager, owner] = [await own.enter('manager'), await own.enter('owner')]
    const reduced = await manager.ok(api.managers.currentUser, {})
    expect(Object.keys(reduced).toSorted()).toEqual(['hasQrCode', 'managerUsername', 'restaurantName'])
    expect(await owner.ok(api.managers.currentUser, {})).toEqual({
      ...reduced,
      subscriptionStatus: 'inactive',
      // From the payment that the owner started above.
      customerId: expect.stringMatching(/^cus_/u),
      hasPassword: true,
      managers: expect.arrayContaining([{ id: expect.any(String), username: reduced.managerUsername }]),
    })
  })
})

type LiveProbe = {
  /** y: ack, F: forbidden, N: not found. */
  own: Row
  foreign: Row | null
  /** On a screen with no crew member selected. */
  unnamed?: Row
  input?: (of: Tenant) => object | Promise<object>
  public?: true
}

const staff: LiveProbe = { own: 'F y y y y y', foreign: null }
const requestOf = async (of: Tenant) => ({ id: await sendNewRequest(of, app.browser()) })
const aboutRequest: LiveProbe = { own: 'F y y y y y', foreign: 'F N N N N N', input: requestOf }

/** A message from this restaurant's crew member to the colleague. */
async function messageOf(of: Tenant): Promise<{ messageId: string }> {
  const from = await socketOf(of, 'crew', true)
  const answer = await from.request({
    type: 'send-team-message',
    targetCrewId: of.colleague.id,
    messageText: `From ${of.name}`,
  })
  if (answer.type !== 'ack' || !answer.message) throw new Error(JSON.stringify(answer))
  return { messageId: answer.message.id }
}

/** A move that this restaurant's crew member has just made. */
async function movePartyOf(of: Tenant): Promise<string> {
  const id = app.ctx.newId()
  const from = await socketOf(of, 'crew', true)
  const [here, there] = [await newTable(of), await newTable(of)]
  const move = { type: 'move-party', id, from: here.tableNumber, to: there.tableNumber } as const
  const answer = await from.request(move)
  if (answer.type !== 'ack') throw new Error(JSON.stringify(answer))
  return id
}

/** A call of this restaurant's crew member to anybody in a role. */
async function roleCallOf(of: Tenant): Promise<{ id: string }> {
  const id = app.ctx.newId()
  const from = await socketOf(of, 'crew', true)
  const call = { type: 'send-role-message', id, role: 'Host', messageKey: 'NEED_HELP' } as const
  const answer = await from.request(call)
  if (answer.type !== 'ack') throw new Error(JSON.stringify(answer))
  return { id }
}

const liveProbes: Record<ClientMessage['type'], LiveProbe> = {
  // Each message in it is answered for itself: see below.
  resume: {
    own: 'y y y y y y',
    foreign: null,
    input: () => ({ messages: [{ type: 'get-pending-requests' }] }),
  },
  'service-request': {
    own: 'y y y y y y',
    foreign: 'y y y y y y',
    input: async (of) => ({ restaurantId: of.name, tableNumber: (await newTable(of)).tableNumber }),
    public: true,
  },
  'set-restaurant-context': {
    own: 'y y y y y y',
    foreign: 'y N N N N N',
    input: ({ name }) => ({ restaurantId: name }),
  },
  'set-crew-member-context': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    input: ({ member }) => ({ crewMemberId: member.id }),
  },
  'update-assigned-tables': {
    ...staff,
    unnamed: 'F F y F F F',
    input: ({ table }) => ({ tables: [table.tableNumber] }),
  },
  'get-pending-requests': staff,
  'accept-request': aboutRequest,
  'release-request': aboutRequest,
  'complete-request': aboutRequest,
  'mute-table': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    // Both restaurants have tables of the same numbers; only the other one has this one.
    input: async (of) => ({ tableNumber: (await newTable(of)).tableNumber }),
  },
  'unmute-table': { ...staff, input: ({ table }) => ({ tableNumber: table.tableNumber }) },
  'move-party': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    input: async (of) => ({
      id: app.ctx.newId(),
      from: (await newTable(of)).tableNumber,
      to: (await newTable(of)).tableNumber,
    }),
  },
  'undo-party-move': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    input: async (of) => ({ id: await movePartyOf(of) }),
  },
  'reopen-request': aboutRequest,
  // Requests that are gone, or never existed, are simply not shown.
  'requests-seen': {
    own: 'F y y y y y',
    foreign: 'F y y y y y',
    input: async (of) => ({ ids: [(await requestOf(of)).id] }),
  },
  listening: { ...staff, input: () => ({ sound: true, push: false }) },
  ping: { own: 'y y y y y y', foreign: null },
  'get-team-messages': { own: 'F y y y y y', foreign: null, unnamed: 'F F y F F F' },
  'send-team-message': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    unnamed: 'F F y F F F',
    input: ({ colleague }) => ({ targetCrewId: colleague.id, messageText: 'Hello' }),
  },
  'start-break': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    unnamed: 'F F y F F F',
    input: ({ colleague }) => ({ coverId: colleague.id }),
  },
  'end-break': { own: 'F y y y y y', foreign: null, unnamed: 'F F y F F F' },
  'hand-over-requests': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    unnamed: 'F F y F F F',
    // Nobody of the own crew can be reached.
    input: (of) => ({ toId: of === own ? null : of.colleague.id }),
  },
  'send-role-message': {
    own: 'F y y y y y',
    foreign: null,
    unnamed: 'F F y F F F',
    input: () => ({ role: 'Busser', messageKey: 'NEED_BUSSER' }),
  },
  'claim-role-message': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    unnamed: 'F F y F F F',
    input: roleCallOf,
  },
  'delete-team-message': {
    own: 'F y y y y y',
    foreign: 'F N N N N N',
    unnamed: 'F F y F F F',
    input: messageOf,
  },
}

const sockets = new Map<string, TestSocket>()

async function socketOf(of: Tenant, who: PrincipalName, named: boolean): Promise<TestSocket> {
  const key = `${of.name} ${who} ${named}`
  const known = sockets.get(key)
  if (known) return known
  const socket = await (await of.enter(who)).connect()
  sockets.set(key, socket)
  if (named && who !== 'guest' && who !== 'crew') {
    await socket.request({ type: 'set-crew-member-context', crewMemberId: of.member.id })
  }
  return socket
}

const letters: Record<string, string> = { forbidden: 'F', not_found: 'N' }

/** The answer that each principal gets to the message, one letter each. */
async function answersTo(type: ClientMessage['type'], of: Tenant, named = true): Promise<Row> {
  const { input } = liveProbes[type]
  const messages: [TestSocket, ClientMessageInput][] = []
  for (const who of principals) {
    const fields = (await input?.(of)) ?? {}
    messages.push([await socketOf(own, who, named), { ...fields, type } as ClientMessageInput])
  }
  // The pushes of what was made for this leave their mark.
  await app.whenIdle()
  const before = await snapshotTenant(app, other.id)
  const answers: string[] = []
  for (const [socket, message] of messages) {
    // A socket may send at most 20 messages a second.
    app.advance(60)
    const answer = await socket.request(message)
    answers.push(answer.type === 'ack' ? 'y' : (letters[answer.code] ?? answer.code))
  }
  const changed = !isDeepStrictEqual(await snapshotTenant(app, other.id), before)
  return answers.join(' ') + (changed && !liveProbes[type].public ? ', and changed the other restaurant' : '')
}

describe('a live message', () => {
  const all = Object.entries(liveProbes) as [ClientMessage['type'], LiveProbe][]

  it.for(all)('%s answers each principal as it should', async ([type, { own: row, unnamed }]) => {
    const answers = [await answersTo(type, own)]
    if (unnamed) answers.push(await answersTo(type, own, false))
    expect(answers).toEqual(unnamed ? [row, unnamed] : [row])
  })

  it.for(all.filter(([, { foreign }]) => foreign !== null))(
    '%s leaves the other restaurant unchanged',
    async ([type, { foreign }]) => {
      expect(await answersTo(type, other)).toBe(foreign)
    },
  )

  const opening = [
    'set-restaurant-context',
    'set-crew-member-context',
    'listening',
    'get-pending-requests',
  ] as const

  it.for(opening)('%s is refused in a resume as it is alone', async (type) => {
    const input = (await liveProbes[type].input?.(other)) ?? {}
    for (const who of principals) {
      const socket = await socketOf(own, who, true)
      const message = { ...input, type } as ClientMessageInput
      app.advance(200)
      const alone = await socket.request(message)
      const resume = { type: 'resume', messages: [message] } as ClientMessageInput
      expect(await socket.request(resume)).toMatchObject({
        answers: [alone.type === 'error' ? { type: 'error', code: alone.code } : { type: 'ack' }],
      })
    }
  })

  it('moves no party between a table and one of the other restaurant', async () => {
    const device = await socketOf(own, 'device', true)
    const tables = { own: (await newTable(own)).tableNumber, other: (await newTable(other)).tableNumber }
    for (const [from, to] of [
      [tables.own, tables.other],
      [tables.other, tables.own],
    ] as const)
      expect(await device.request({ type: 'move-party', id: app.ctx.newId(), from, to })).toMatchObject({
        code: 'not_found',
      })
  })

  it('does not let crew act as anybody else', async () => {
    const crew = await socketOf(own, 'crew', true)
    for (const { id } of [own.colleague, own.host]) {
      expect(await crew.request({ type: 'set-crew-member-context', crewMemberId: id })).toMatchObject({
        code: 'forbidden',
      })
    }
  })

  it('must agree with the session in every name and id it carries', async () => {
    const device = await socketOf(own, 'device', true)
    const message = { type: 'send-team-message', targetCrewId: own.colleague.id, messageText: 'Hi' } as const
    const refused = [
      [{ restaurantId: other.name }, 'not_found'],
      [{ senderCrewId: own.host.id }, 'forbidden'],
      [{ senderCrewId: other.member.id }, 'forbidden'],
      [{ senderCrewName: own.host.name }, 'forbidden'],
      [{ targetCrewName: own.host.name }, 'invalid'],
    ] as const
    for (const [fields, code] of refused) {
      expect(await device.request({ ...message, ...fields })).toMatchObject({ type: 'error', code })
    }
    const agreed = {
      restaurantId: own.name.toUpperCase(),
      senderCrewId: own.member.id,
      senderCrewName: own.member.name,
      targetCrewName: own.colleague.name,
    }
    expect(await device.request({ ...message, ...agreed })).toMatchObject({ type: 'ack' })
  })

  it('from the server is one that is documented', () => {
    const received = [...sockets.values()].flatMap((socket) => socket.received)
    expect(new Set(received.map(({ type }) => type)).size).toBeGreaterThan(10)
    expectDocumentedMessages(received)
  })

  it('reveals to nobody what happens in the other restaurant', async () => {
    const rival = await socketOf(other, 'device', true)
    await requestOf(other)
    await messageOf(other)
    await rival.request({ type: 'get-pending-requests' })
    for (const who of principals.slice(1)) {
      const socket = await socketOf(own, who, false)
      await socket.request({ type: 'ping' })
      expect(hasForeign(socket.received.filter(({ type }) => type !== 'ack'))).toBe(false)
    }
  })
})
