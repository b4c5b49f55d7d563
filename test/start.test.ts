import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startServer } from './server-process.ts'

let folder: string
let first: ServerProcess

const urlIn = (name: string): string => `file:${join(folder, name)}/tableside.db`

/** The last words of a server that cannot start. */
const refusal = (name: string, env: Record<string, string> = {}): Promise<string> =>
  startServer(urlIn(name), env).then(
    async (server) => {
      await server.stop()
      return 'it started'
    },
    ({ message }: Error) => message,
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-start-'))
  first = await startServer(urlIn('data'))
})
afterAll(async () => {
  await first.stop()
  await rm(folder, { recursive: true })
})

it('says in words that its data folder is in use', async () => {
  expect(await refusal('data')).toBe(
    `the server did not start: Another Tableside is running on this data folder: ${join(folder, 'data')}
Please stop it first, or choose another folder, such as DATABASE_URL=file:./other/tableside.db npm start
ended by itself: 1`,
  )
})

it('says in words that its port is taken', async () => {
  const { port, hostname } = new URL(first.url)
  expect(await refusal('other', { PORT: port, HOST: hostname })).toMatch(
    /^the server did not start: listen EADDRINUSE: .+:\d+\nPlease choose another port, such as PORT=3001 npm start\nended by itself: 1$/,
  )
})

it('says every wrong setting at once', async () => {
  const said = await refusal('other', { PORT: 'many', BILLING: 'perhaps' })
  expect(said).toMatch(
    /^the server did not start: Please correct these settings:\n.*PORT.*\n.*BILLING.*\nended by itself: 1$/,
  )
})
