import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { connectScreen } from '../../../../../test/support/pages/crew-view.ts'
import { escalateDueRequests } from './escalation.ts'
import { escalateByFormerClock } from './former-clock.ts'

const hours = 3_600_000

let app: TestApp
afterEach(() => app.stop())

/** A restaurant in which Maya listens, and what its guests ask for. */
async function openRestaurant() {
  const { name, owner, device } = await app.restaurant({ tables: ['1', '2'] })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const screen = await connectScreen(device, maya.id)
  const ask = async (tableNumber: string): Promise<string> => {
    const body = { restaurantId: name, tableNumber, serviceType: 'drinks' } as const
    return (await app.browser().ok(api.requests.send, { body })).request.id
  }
  return { screen, ask }
}

async function levelOf(id: string): Promise<string> {
  const { level, acceptedAt } = await app.ctx.db.reader
    .selectFrom('serviceRequest')
    .select(['level', 'acceptedAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return `${level} ${acceptedAt === null ? 'waiting' : 'accepted'}`
}

it('a running server calls on time for what was asked before its clock was set back', async () => {
  app = await startTestApp({ scheduler: 'real', clock: 'noon' })
  const { ask } = await openRestaurant()
  const id = await ask('1')
  app.advance(-hours)
  const later = await ask('2')
  await expect.poll(() => app.lines.some((line) => line.includes('the clock was set back'))).toBe(true)
  app.advance(41_000)
  for (const request of [id, later]) await expect.poll(() => levelOf(request)).toBe('1 waiting')
  app.advance(5_000)
  for (const request of [id, later]) await expect.poll(() => levelOf(request)).toBe('2 waiting')
})

describe('after the clock was set back by an hour', () => {
  let escalateByFormer: ReturnType<typeof escalateByFormerClock>
  beforeEach(async () => {
    app = await startTestApp()
    escalateByFormer = escalateByFormerClock()
  })

  /** As each second, on two nodes. */
  async function after(ms: number): Promise<void> {
    app.advance(ms)
    await Promise.all([escalateDueRequests(app.ctx), escalateByFormer(app.ctx), escalateByFormer(app.ctx)])
  }

  async function follow(id: string, times: readonly number[]): Promise<string[]> {
    const seen: string[] = []
    for (const ms of times) {
      await after(ms)
      seen.push(await levelOf(id))
    }
    return seen
  }

  it('a request reaches each level when it would have', async () => {
    const { ask } = await openRestaurant()
    const id = await ask('1')
    await after(20_000)
    await after(-hours)
    expect(await follow(id, [19_000, 2_000, 3_000, 2_000])).toEqual([
      '0 waiting',
      '1 waiting',
      '1 waiting',
      '2 waiting',
    ])
  })

  it('an acceptance lasts as long as it would have, and the times from then on are by the new clock', async () => {
    const { ask, screen } = await openRestaurant()
    const id = await ask('1')
    await screen.request({ type: 'accept-request', id })
    await after(20_000)
    await after(-hours)
    const { acceptUntil, acceptedAt } = await app.ctx.db.reader
      .selectFrom('serviceRequest')
      .select(['acceptUntil', 'acceptedAt'])
      .executeTakeFirstOrThrow()
    const lasts = (acceptUntil ?? 0) - (acceptedAt ?? 0)
    expect(await follow(id, [lasts - 21_000, 2_000, 4_000, 2_000])).toEqual([
      '0 accepted',
      '1 waiting',
      '1 waiting',
      '2 waiting',
    ])
  })

  it('what is asked later has its own times', async () => {
    const { ask } = await openRestaurant()
    await ask('1')
    await after(20_000)
    await after(-hours)
    const id = await ask('2')
    expect(await follow(id, [39_000, 2_000])).toEqual(['0 waiting', '1 waiting'])
  })

  it('a server that starts then calls within the times of a new request', async () => {
    const { ask } = await openRestaurant()
    const id = await ask('1')
    await after(20_000)
    app.advance(-hours)
    escalateByFormer = escalateByFormerClock()
    expect(await follow(id, [0, 39_000, 2_000, 5_000])).toEqual([
      '0 waiting',
      '0 waiting',
      '1 waiting',
      '2 waiting',
    ])
  })
})
