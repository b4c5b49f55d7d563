import type { CrewMember, CrewRole } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import * as accounts from '../../../src/server/core/accounts/accounts.ts'
import * as restaurants from '../../../src/server/core/accounts/restaurants/restaurants.ts'
import * as sessions from '../../../src/server/core/accounts/sessions/sessions.ts'
import { type Actor, anonymousActor } from '../../../src/server/core/actor.ts'
import * as analytics from '../../../src/server/core/analytics/analytics.ts'
import * as crew from '../../../src/server/core/crew/crew.ts'
import type { Ctx } from '../../../src/server/core/ctx.ts'
import * as floor from '../../../src/server/core/floor/floor.ts'
import * as listening from '../../../src/server/core/presence/listening.ts'
import * as crewRequests from '../../../src/server/core/requests/crew-requests.ts'
import * as ladder from '../../../src/server/core/requests/escalation/escalation.ts'
import * as reopenedRequests from '../../../src/server/core/requests/moves/reopened-requests.ts'
import * as requests from '../../../src/server/core/requests/requests.ts'
import { storeSightings } from '../../../src/server/core/requests/sightings.ts'
import { password, setUpApp, type TestApp } from '../app.ts'

/** An ISO timestamp: `2027-03-28T01:30:00Z`, or with `+02:00`. */
export const instantOf = (instant: string): number => Date.parse(instant)

export const seconds = 1000
export const hour = 3600 * seconds

type Step = { after: number; by?: CrewMember }

/** What happens to a request, in order, in seconds after it was sent. */
export type RequestCourse = {
  seen?: number
  asked?: number[]
  accepted?: Step
  released?: number
  acceptedAgain?: Step
  completed?: Step
  reopened?: number
  completedAgain?: Step
  cancelled?: number
  stillWaiting?: number
  /** When the escalation task runs. */
  climbs?: number[]
}

let names = 0

/** A server whose clock is before any test's events, so that nothing is due. */
export function setUpPastApp(): TestApp {
  const app = setUpApp()
  app.advance(instantOf('2020-01-01T00:00:00Z') - app.now())
  return app
}

/** A restaurant whose past is created by the operations of guests and crew, each at its own time. */
export async function startPastRestaurant(
  app: TestApp,
  timeZone: string,
  createdAt: string,
  tables = ['1', '2', '3'],
) {
  const name = `Old Mill ${++names}`
  const then = (instant: number): Ctx => ({
    ...app.ctx,
    now: () => instant,
    sightings: { add: (restaurantId, sightings) => storeSightings(app.ctx, restaurantId, sightings) },
    settings: { ...app.ctx.settings, guestLimits: false },
  })
  const atSignUp = then(instantOf(createdAt))
  const signUp = { restaurantName: name, email: 'owner@example.com', password, timeZone }
  await app.forgetNewNames()
  const { cookie } = await accounts.signUp(atSignUp, anonymousActor(), signUp)
  const owner = await sessions.identify(atSignUp, cookie, anonymousActor())
  const { id } = await restaurants.requireByName(atSignUp, app.ctx.db.reader, name)
  const onFloor = await floor.setUp(atSignUp, owner, { setupType: 'custom', customTables: tables })

  let guests = 0
  const staff = (by?: CrewMember): Actor => ({ ...owner, crewMember: by ?? null })

  return {
    id,
    name,
    owner,
    tables: onFloor,
    clock: then,

    join: (person: string, role: CrewRole = 'Server') => crew.add(atSignUp, owner, { name: person, role }),

    /** The actor that /waiter-login creates. */
    as: (crewMember: CrewMember): Actor => ({
      ...anonymousActor(),
      restaurantId: id,
      grants: new Map([
        [
          'crew',
          {
            subjectId: crewMember.id,
            restaurantId: id,
            authAt: 0,
            idleUntil: Infinity,
            recent: false,
            via: 'password',
          },
        ],
      ]),
      crewMember,
    }),

    async assign(date: string, pairs: [table: string, member: CrewMember][]): Promise<void> {
      const idOf = (number: string) => onFloor.find((table: Table) => table.tableNumber === number)?.id ?? ''
      const assignments = pairs.map(([table, member]) => ({ tableId: idOf(table), crewMemberId: member.id }))
      await floor.assign(atSignUp, owner, { date, assignments })
    },

    /** A guest sends a request at this instant; the rest follows. */
    async ask(
      instant: string | number,
      tableNumber: string,
      serviceType: ServiceType,
      course: RequestCourse = {},
    ) {
      const start = typeof instant === 'number' ? instant : instantOf(instant)
      const after = (delay: number) => then(start + Math.round(delay * seconds))
      // A new phone each time, so that no visit has expired.
      const guest: Actor = { ...anonymousActor(), guestId: `guest ${++guests}` }
      const need = { restaurantId: name, tableNumber, serviceType }
      const { request } = await requests.send(after(0), guest, need)
      const { id: requestId } = request
      const steps: [number, (ctx: Ctx) => Promise<unknown>][] = []
      const step = (delay: number | undefined, work: (ctx: Ctx) => Promise<unknown>) => {
        if (delay !== undefined) steps.push([delay, work])
      }
      const { accepted, acceptedAgain, completed, completedAgain } = course
      step(course.seen, (ctx) => crewRequests.markSeen(ctx, owner, { ids: [requestId] }))
      for (const delay of course.asked ?? []) step(delay, (ctx) => requests.send(ctx, guest, need))
      for (const delay of course.climbs ?? []) step(delay, ladder.escalateDueRequests)
      step(accepted?.after, (ctx) => crewRequests.accept(ctx, staff(accepted?.by), request))
      step(course.released, (ctx) => crewRequests.release(ctx, owner, request))
      step(acceptedAgain?.after, (ctx) => crewRequests.accept(ctx, staff(acceptedAgain?.by), request))
      step(course.stillWaiting, (ctx) => requests.stillWaiting(ctx, guest, request))
      step(completed?.after, (ctx) => crewRequests.complete(ctx, staff(completed?.by), request))
      step(course.reopened, (ctx) => reopenedRequests.reopen(ctx, owner, request))
      step(completedAgain?.after, (ctx) => crewRequests.complete(ctx, staff(completedAgain?.by), request))
      step(course.cancelled, (ctx) => requests.cancel(ctx, guest, request))
      for (const [delay, work] of steps.toSorted(([a], [b]) => a - b)) await work(after(delay))
      return requestId
    },

    /** Records that from then on a screen is listening, or none. */
    async listens(instant: string, isListening: boolean): Promise<void> {
      await listening.recordListeningChanges(then(instantOf(instant)), [
        { restaurantId: id, isListening, at: instantOf(instant) },
      ])
    },
  }
}

export type PastRestaurant = Awaited<ReturnType<typeof startPastRestaurant>>

export const figuresOf = (
  past: PastRestaurant,
  from: string,
  to = from,
  now = '2028-01-01T00:00:00Z',
  actor: Actor = past.owner,
) => analytics.figures(past.clock(instantOf(now)), actor, { from, to })

export async function eventsCsv(
  past: PastRestaurant,
  from: string,
  to = from,
  actor: Actor = past.owner,
): Promise<string> {
  const { chunks } = await analytics.events(past.clock(instantOf('2028-01-01T00:00:00Z')), actor, {
    from,
    to,
  })
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
}

export const durationSummary = (
  count: number,
  ...times: [median: number, p90: number, p99: number, mean: number]
) => {
  const [medianMs, p90Ms, p99Ms, meanMs] = times.map((time) => Math.round(time * seconds))
  return { count, medianMs, p90Ms, p99Ms, meanMs }
}
