import type { RestaurantSignup, TryDemo } from '#contract/accounts/account-forms.ts'
import type { SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import { hourMs, secondMs } from '#contract/durations.ts'
import * as endings from '../../../storage/accounts/restaurant-endings.ts'
import * as grants from '../../../storage/accounts/sessions.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, anonymousActor } from '../../actor.ts'
import { authorize, requireGrant } from '../../authorize.ts'
import { payInSandbox } from '../../billing/checkout.ts'
import * as crew from '../../crew/crew.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { notFound, Refusal } from '../../errors.ts'
import * as floor from '../../floor/floor.ts'
import * as qrCodes from '../../floor/qr-codes.ts'
import * as requests from '../../requests/requests.ts'
import { write } from '../../transaction.ts'
import { storePast } from '../demo/past-requests.ts'
import * as firstSteps from '../first-steps.ts'
import * as sessions from '../sessions/sessions.ts'
import type { SignedIn } from '../sessions/sessions.ts'

/** How long a visitor has it. */
const trialMs = hourMs
/** Each has two weeks of requests behind it: as many as there may be stay on the disk of a small machine. */
export const maxDemos = 300

const roster: [string, CrewRole][] = [
  ['Maya Lindqvist', 'Server'],
  ['Jonas Weber', 'Server'],
  ['Ana Duarte', 'Host'],
]

type SignUp = (
  ctx: Ctx,
  actor: Actor,
  input: RestaurantSignup,
  also: (db: Db, restaurantId: string) => Promise<void>,
) => Promise<SignedIn<SignedInRestaurant>>

/**
 * A demo restaurant of the visitor's own, who is signed in as its owner until it is erased. `signUp` is that of
 * `accounts.ts`, whose imports are deep already.
 */
export async function tryDemo(
  ctx: Ctx,
  actor: Actor,
  { timeZone = 'UTC' }: TryDemo,
  signUp: SignUp,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.tryDemo')
  if (!ctx.settings.tryDemo) throw notFound('Demo')
  const number = ctx.secrets.newToken().replaceAll(/[^a-z0-9]/giu, '')
  const restaurantName = `The Copper Pot ${number.slice(0, 6).toUpperCase()}`
  const email = 'trial@tableside.example'
  const password = ctx.secrets.newToken()
  const eraseAt = ctx.now() + trialMs
  // In the same transaction: whatever fails afterwards, the demo is erased, and never the one that `default` means.
  const endSoon = async (db: Db, restaurantId: string): Promise<void> => {
    if ((await endings.countTrials(db)) >= maxDemos) throw tooManyDemos()
    await endings.insert(db, { restaurantId, kind: 'trial', eraseAt })
  }
  const signedIn = await signUp(ctx, actor, { restaurantName, email, password, timeZone }, endSoon)
  const owner = await sessions.identify(ctx, signedIn.cookie, actor)
  await keepRecent(ctx, owner, eraseAt)
  await furnish(ctx, owner, restaurantName, timeZone)
  return { cookie: signedIn.cookie, reply: signedIn.reply }
}

const tooManyDemos = (): Refusal =>
  new Refusal('rate_limited', 'Many visitors are trying Tableside right now. Please try again in an hour.', {
    retryAfter: trialMs / secondMs,
  })

/** The sign-in stays recent: nobody knows the password by which the visitor would confirm who they are. */
const keepRecent = (ctx: Ctx, actor: Actor, authAt: number): Promise<void> =>
  write(ctx, async ({ db }) => {
    const { sessionId } = actor
    if (sessionId === null) throw notFound('Restaurant')
    const { subjectId } = requireGrant(actor, 'owner')
    await grants.renewGrant(db, { sessionId, kind: 'owner', subjectId, authAt })
  })

async function furnish(ctx: Ctx, owner: Actor, name: string, timeZone: string): Promise<void> {
  const tables = await floor.setUp(ctx, owner, { setupType: 'count', tableCount: 8 })
  const members = []
  for (const [person, role] of roster) members.push(await crew.add(ctx, owner, { name: person, role }))
  const servers = members.filter(({ role }) => role === 'Server')
  const assigned = tables.flatMap((table, index) => {
    const server = servers[index % servers.length]
    return server ? [{ ...table, server }] : []
  })
  const assignments = assigned.map(({ id, server }) => ({ tableId: id, crewMemberId: server.id }))
  await floor.assign(ctx, owner, { date: localDay(ctx.now(), timeZone), assignments })
  const { restaurantId } = requireGrant(owner, 'owner')
  if (restaurantId === null) throw notFound('Restaurant')
  await storePast(ctx, { restaurantId, timeZone, tables: assigned })
  await payInSandbox(ctx, owner)
  if (!ctx.settings.billing || ctx.payments.provider === 'sandbox')
    await qrCodes.generate(ctx, owner, { restaurantId: name, qrCodeDataUrl: '' })
  for (const [tableNumber, serviceType] of [
    ['3', 'drinks'],
    ['5', 'check'],
  ] as const)
    await requests.send(ctx, anonymousActor(owner.address), { restaurantId: name, tableNumber, serviceType })
  await firstSteps.finish(ctx, owner)
}
