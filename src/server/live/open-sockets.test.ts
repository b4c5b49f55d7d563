import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Signal } from '../core/ports.ts'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { silentSocket } from '../../../test/support/silent-socket.ts'
import { type Actor, anonymousActor } from '../core/actor.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { PresenceRegistry } from './presence/registry.ts'

let app: TestApp
let registry: PresenceRegistry
let gateway: Gateway
beforeAll(async () => {
  app = await startTestApp()
  registry = new PresenceRegistry(app.ctx.now)
  gateway = createGateway(app.ctx, registry, { node: 'crowded', severalNodes: false })
  await gateway.ready()
})
afterAll(async () => {
  await gateway.close()
  await app.stop()
})

/** A guest's phone and a crew's screen. Returns how to close them. */
function openTwo(name: string): () => void {
  const guest = anonymousActor(`address ${name}`, `guest ${name}`)
  const crewMember = { id: `member ${name}`, name: 'Maya', role: 'Server' } as const
  const screen: Actor = {
    ...anonymousActor(`staff ${name}`),
    sessionId: `session ${name}`,
    restaurantId: name,
    crewMember,
  }
  const closers = [guest, screen].map((actor) => {
    let onClose = () => {}
    const release = gateway.admit(actor)
    gateway.open({ ...silentSocket, onClose: (listener) => (onClose = listener) }, actor)
    return () => {
      release()
      onClose()
    }
  })
  return () => closers.forEach((close) => close())
}

/** The quickest of many, in milliseconds: the others were interrupted. */
function timeOf(work: () => void): number {
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now()
    for (let time = 0; time < 50; time++) work()
    return performance.now() - start
  })
  return Math.min(...times)
}

it('opens and closes a socket, and hears of changed logins, as quickly among 40,000 sockets as among 40', () => {
  const signals: Signal[] = [
    { kind: 'sessions-changed', sessionIds: ['unknown'] },
    { kind: 'crew-member-changed', crewMemberId: 'unknown' },
  ]
  const measure = () => ({
    open: timeOf(() => openTwo('passing')()),
    signals: timeOf(() => app.ctx.bus.publish(signals)),
  })
  const closers: (() => void)[] = []
  const fillTo = (pairs: number) => {
    while (closers.length < pairs) {
      const name = String(closers.length)
      closers.push(openTwo(name))
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
  fillTo(20)
  const alone = measure()
  fillTo(20_000)
  const crowded = measure()
  expect(crowded.open / alone.open).toBeLessThan(100)
  expect(crowded.signals / alone.signals).toBeLessThan(100)
  for (const close of closers) close()
  expect(gateway.connections()).toBe(0)
})
