import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Actor, anonymousActor } from '../../src/server/core/actor.ts'
import { createGateway, type Gateway } from '../../src/server/live/gateway.ts'
import { createSocketCounter } from '../../src/server/live/limits/socket-limits.ts'
import { PresenceRegistry } from '../../src/server/live/presence/registry.ts'
import type { Signal } from '../../src/server/ports/bus.ts'
import { setUpApp } from '../support/app.ts'
import { silentSocket } from '../support/pages/silent-socket.ts'

const app = setUpApp()
let registry: PresenceRegistry
let gateway: Gateway
beforeAll(async () => {
  registry = new PresenceRegistry(app.ctx.now)
  gateway = createGateway(app.ctx, registry, {
    node: 'crowded',
    severalNodes: false,
    reserveSocket: createSocketCounter(),
  })
  await gateway.ready()
})
afterAll(() => gateway.close())

/** A guest's phone and a crew's screen. Returns how to close them. */
async function openTwo(name: string): Promise<() => void> {
  const guest = anonymousActor(`address ${name}`, `guest ${name}`)
  const crewMember = { id: `member ${name}`, name: 'Maya', role: 'Server' } as const
  const screen: Actor = {
    ...anonymousActor(`staff ${name}`),
    sessionId: `session ${name}`,
    restaurantId: name,
    crewMember,
  }
  const open = async (actor: Actor) => {
    let onClose = () => {}
    const release = await gateway.admit(actor)
    gateway.open({ ...silentSocket, listen: (listener) => ({ onClose } = listener) }, actor)
    return () => {
      release()
      onClose()
    }
  }
  const closers = [await open(guest), await open(screen)]
  return () => closers.forEach((close) => close())
}

/** The quickest of many, in milliseconds: the others were interrupted. */
async function timeOf(work: () => unknown): Promise<number> {
  let quickest = Infinity
  for (let round = 0; round < 50; round++) {
    const start = performance.now()
    for (let time = 0; time < 50; time++) await work()
    quickest = Math.min(quickest, performance.now() - start)
  }
  return quickest
}

it('opens and closes a socket, and hears of changed logins, as quickly among 40,000 sockets as among 40', async () => {
  const signals: Signal[] = [
    { kind: 'sessions-changed', sessionIds: ['unknown'] },
    { kind: 'crew-member-changed', crewMemberId: 'unknown' },
  ]
  const measure = async () => ({
    open: await timeOf(async () => (await openTwo('passing'))()),
    signals: await timeOf(() => app.ctx.bus.publish(signals)),
  })
  const closers: (() => void)[] = []
  const fillTo = async (pairs: number) => {
    while (closers.length < pairs) {
      const name = String(closers.length)
      closers.push(await openTwo(name))
      registry.setDevices(name, [
        {
          restaurantId: name,
          id: `device ${name}`,
          sessionId: `session ${name}`,
          crewMemberId: null,
          audience: 'crew',
          seenAt: app.now(),
        },
      ])
    }
  }
  await fillTo(20)
  const alone = await measure()
  await fillTo(20_000)
  const crowded = await measure()
  expect(crowded.open / alone.open).toBeLessThan(100)
  expect(crowded.signals / alone.signals).toBeLessThan(100)
  for (const close of closers) close()
  expect(gateway.connections()).toBe(0)
})
