import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

/** With the other test as many as two cores simulate in 20 seconds while others keep them busy. */
const seeds = 60

/** The simulation replaces the timers of its process, so it has one of its own. */
async function simulate(...args: string[]): Promise<{ code: unknown; output: string }> {
  const child = spawn(process.execPath, ['simulation/main.ts', ...args])
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = await once(child, 'close')
  return { code, output }
}

const digestsIn = (output: string): string[] => output.split('\n').filter((line) => /^seed \d+ /u.test(line))

it('keeps every promise whatever guests, crew, owner, network and server do', async () => {
  const { code, output } = await simulate(`--seeds=${seeds}`, '--jobs=2')
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(output).toContain(`${seeds} seeds of 60s`)
})

it('keeps every promise with a crew that acts like one, whatever breaks', async () => {
  const runs = await Promise.all(
    [1, 4].map((seed) => simulate('--crew', `--seed=${seed}`, '--seeds=3', '--for=10m')),
  )
  for (const { code, output } of runs) expect({ code, output }).toMatchObject({ code: 0 })
})

it('names its promises when it is to leave out one that there is not', async () => {
  const { code, output } = await simulate('--without=no-such-promise')
  expect(code).toBe(1)
  expect(output).toMatch(/No promise is called no-such-promise, but: taps, .*figures/)
})

it.for([
  { evening: 'of random steps', args: ['--seeds=8'], seeds: 8 },
  { evening: 'with a crew that acts like one', args: ['--crew', '--seeds=2', '--for=5m'], seeds: 2 },
])('the simulation plays the same evening $evening from the same seed', async ({ args, seeds }) => {
  const runs = await Promise.all([1, 2].map(() => simulate('--seed=1001', '--digests', ...args)))
  const [first, second] = runs.map(({ output }) => digestsIn(output))
  expect(first).toHaveLength(seeds)
  expect(second).toEqual(first)
  expect(new Set(first?.map((line) => line.split(' ')[2]))).toHaveProperty('size', seeds)
})
