import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { LoadGenerator } from '../../bench/load/load-generator.ts'
import { climbLadder } from '../../bench/load/rate-ladder.ts'
import { Refused, type SystemUnderTest } from '../../bench/systems/system-under-test.ts'

/** Tells all screens of a restaurant what is asked there. `refuses` says which taps, and which completions. */
function startSystem(refuses: { tap?: (count: number) => boolean; completion?: (count: number) => boolean }) {
  const screens: ((id: string) => void)[] = []
  const counts = { taps: 0, acceptances: 0, completions: 0 }
  const system: SystemUnderTest = {
    name: 'one that refuses',
    servers: [],
    databaseUrl: '',
    databasePid: null,
    openConnections: async () => {},
    openGuest: async () => ({
      async sendRequest({ id }) {
        // As over a network: the others take their turn.
        await new Promise(setImmediate)
        counts.taps++
        if (refuses.tap?.(counts.taps)) throw new Refused('rate_limited')
        for (const onRequest of screens) onRequest(id)
      },
      close: () => {},
    }),
    async openScreen(_restaurant, onRequest) {
      screens.push(onRequest)
      return {
        async accept() {
          counts.acceptances++
        },
        async complete() {
          counts.completions++
          if (refuses.completion?.(counts.completions)) throw new Refused('rate_limited')
        },
        drop: () => {},
        reconnect: async () => 0,
        close: () => {},
      }
    },
    stop: async () => {},
  }
  return { system, counts }
}

const openLoad = (system: SystemUnderTest) =>
  LoadGenerator.open(system, { restaurants: 1, screensPerRestaurant: 2, transports: ['live', 'new phone'] })

describe('what a system refuses under load', () => {
  it('is counted, and the others are measured', async () => {
    const { system, counts } = startSystem({ tap: (count) => count % 3 === 0 })
    const result = await (await openLoad(system)).closedLoop('live', 4, 0, 100)
    expect(counts.taps).toBeGreaterThan(6)
    expect(result.refused).toBe(Math.floor(counts.taps / 3))
    expect(result.perSecond).toBeGreaterThan(0)
    expect(result.answer.p50).toBeGreaterThan(0)
  })

  it('is completed later, when it was a completion', async () => {
    const { system, counts } = startSystem({ completion: (count) => count === 1 })
    const result = await (await openLoad(system)).closedLoop('live', 1, 0, 50)
    expect(result.refused).toBe(1)
    expect(counts.completions).toBe(counts.taps + 1)
  })

  it('ends the ladder of rates at the rate at which it happened', async () => {
    const { system } = startSystem({ tap: () => true })
    const { held, failed } = await climbLadder(await openLoad(system), 100)
    expect(held.perSecond).toBe(0)
    expect(failed).toMatchObject({ perSecond: 50, refused: expect.any(Number) })
    expect(failed.refused).toBeGreaterThan(0)
  })
})

it('says "On my way" before each completion where the crew is to', async () => {
  const { system, counts } = startSystem({})
  const load = await openLoad(system)
  await load.closedLoop('live', 2, 0, 50)
  expect(counts.acceptances).toBe(0)
  const before = counts.completions
  await load.closedLoop('live', 2, 0, 50, { accepts: true })
  expect(counts.acceptances).toBeGreaterThan(0)
  expect(counts.acceptances).toBe(counts.completions - before)
})

it('waits no less than nothing for an answer', async () => {
  const { system } = startSystem({})
  const result = await (await openLoad(system)).openLoop('live', 150, 0, 300)
  expect(result.answer.p50).toBeGreaterThan(0)
  expect(result.screen.p50).toBeGreaterThan(0)
})

it('fails when a server has ended, whose clients may wait for ever', async () => {
  const { system } = startSystem({})
  const ended = spawn(process.execPath, ['--eval', ''])
  await once(ended, 'exit')
  const load = await openLoad({
    ...system,
    servers: [
      {
        url: '',
        pid: ended.pid ?? 0,
        lines: [],
        kill: async () => {},
        stop: async () => {},
        sendMessage: async () => {},
      },
    ],
    openGuest: async () => ({ sendRequest: () => new Promise(() => {}), close: () => {} }),
  })
  await expect(load.closedLoop('live', 1, 0, 50)).rejects.toThrow('A server has ended')
  load.close()
})

it('fails on anything but a refusal', async () => {
  const { system } = startSystem({})
  const load = await openLoad({
    ...system,
    openGuest: async () => ({
      sendRequest: async () => {
        throw new Error('The server is gone')
      },
      close: () => {},
    }),
  })
  await expect(load.closedLoop('live', 1, 0, 50)).rejects.toThrow('The server is gone')
  load.close()
})
