import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

let folder: string
let first: ServerProcess

const urlIn = (name: string): string => `file:${join(folder, name)}/tableside.db`

const refusal = (name: string, env?: Record<string, string>): Promise<string> => refusalAt(urlIn(name), env)

/** The error output of a server that cannot start. */
const refusalAt = (url: string, env?: Record<string, string>): Promise<string> =>
  startServer(url, env).then(
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

it('explains that its data folder is in use', async () => {
  expect(await refusal('data')).toBe(
    `the server did not start: Another Tableside is running on this data folder: ${join(folder, 'data')}
Please stop it first, or choose another folder, such as DATABASE_URL=file:./other/tableside.db npm start
ended by itself: 1`,
  )
})

it('explains that its port is taken', async () => {
  const { port, hostname } = new URL(first.url)
  expect(await refusal('other', { PORT: port, HOST: hostname })).toMatch(
    /^the server did not start: listen EADDRINUSE: .+:\d+\nPlease choose another port, such as PORT=3001 npm start\nended by itself: 1$/,
  )
})

// Elsewhere than on Linux ports are not shared.
it.runIf(process.platform === 'linux')(
  'notices that its port is taken on one address of localhost',
  async () => {
    const twoAddresses = `data:text/javascript,
    import dns from 'node:dns/promises'
    import { syncBuiltinESMExports } from 'node:module'
    dns.lookup = async () => [{ address: '127.0.0.1' }, { address: '127.0.0.2' }]
    syncBuiltinESMExports()`
    const port = String(await freePort())
    const other = await startServer(urlIn('second-address'), { PORT: port, HOST: '127.0.0.2' })
    const started = startServer(urlIn('both-addresses'), { PORT: port, HOST: 'localhost' }, [
      '--import',
      encodeURI(twoAddresses),
    ])
    await expect(started).rejects.toThrow('the server did not start: listen EADDRINUSE: ')
    await other.stop()
  },
)

it('a server that starts lists every invalid setting at once', async () => {
  const said = await refusal('other', { PORT: 'many', BILLING: 'perhaps' })
  expect(said).toMatch(
    /^the server did not start: Please correct these settings:\n.*PORT.*\n.*BILLING.*\nended by itself: 1$/,
  )
})

it('refuses to share an SQLite database among workers', async () => {
  expect(await refusal('other', { WORKERS: '2' })).toBe(
    `the server did not start: Please correct these settings:
WORKERS needs PostgreSQL: an SQLite database belongs to one process, so set DATABASE_URL to postgres://… or leave WORKERS at 1
ended by itself: 1`,
  )
})

it('says only once that several workers cannot reach the database', async () => {
  const url = `postgres://127.0.0.1:${await freePort()}/x`
  const lines = (await refusalAt(url, { WORKERS: '2' })).split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(
    /^the server did not start: The database cannot be opened \(PostgreSQL\): connect/u,
  )
  expect(lines.slice(1)).toEqual(['Please correct DATABASE_URL', 'ended by itself: 1'])
})

it.for([
  ['postgres://sam:lantern-7@127.0.0.1:PORT/x', 'PostgreSQL', 'connect ECONNREFUSED 127.0.0.1:PORT'],
  ['postgres://localhost:PORT/x', 'PostgreSQL', 'connect ECONNREFUSED '],
  ['file:FOLDER/letter.db', 'FOLDER/letter.db', 'file is not a database'],
  ['file:FOLDER/letter.db/tableside.db', 'FOLDER/letter.db/tableside.db', 'EEXIST: '],
  ['file:FOLDER/letter.db/ssl/tableside.db', 'FOLDER/letter.db/ssl/tableside.db', 'ENOTDIR: '],
])('says in words that %s cannot be opened', async ([url = '', what = '', reason = '']) => {
  await writeFile(join(folder, 'letter.db'), 'Dear guest, this is no database at all.')
  const port = String(await freePort())
  const inserted = (text: string) => text.replace('FOLDER', folder).replace('PORT', port)
  const [first = '', ...rest] = (await refusalAt(inserted(url))).split('\n')
  const start = inserted(`the server did not start: The database cannot be opened (${what}): ${reason}`)
  expect(first.slice(0, start.length)).toBe(start)
  expect(rest).toEqual(['Please correct DATABASE_URL', 'ended by itself: 1'])
})
