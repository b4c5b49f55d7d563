import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createLogger } from '../../src/server/adapters/pino-logger.ts'
import { createCookies } from '../../src/server/http/cookies.ts'
import { mountStaffApp } from '../../src/server/http/mounts/mount-staff-app.ts'
import { createHttpServer } from '../../src/server/http/server.ts'
import { setUpApp } from '../support/app.ts'

const app = setUpApp()

it('logs once that its files are gone, such as when another version is built over them', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'tableside-test-'))
  const assets = join(dist, 'client/assets')
  mkdirSync(assets, { recursive: true })
  writeFileSync(join(dist, 'client/index.html'), '<html><script></script></html>')
  for (const file of ['crew.js', 'admin.js']) writeFileSync(join(assets, file), '')
  const lines: string[] = []
  const logger = createLogger(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString())
        done()
      },
    }),
  )
  const cookies = createCookies({ secure: false })
  const server = createHttpServer(app.ctx, {
    cookies,
    identify: () => Promise.reject(new Error('Nobody signs in')),
    origins: [],
    logger,
    beforeClose: () => Promise.resolve(),
  })
  onTestFinished(async () => {
    await server.close()
    rmSync(dist, { recursive: true })
  })
  mountStaffApp(server, dist, {
    payments: 'off',
    openId: false,
    mail: false,
    tryDemo: false,
    passkeyHost: null,
    catalogues: { languages: {}, portalLanguages: {} },
    guestLanguages: [],
    severalNodes: false,
    cookies,
    inlineScript: '',
  })
  const statusOf = async (file: string): Promise<number> =>
    (await server.inject({ url: `/assets/${file}` })).statusCode
  expect(await Promise.all(['crew.js', 'of-another-version.js'].map(statusOf))).toEqual([200, 404])
  expect(lines).toEqual([])
  rmSync(assets, { recursive: true })
  for (const file of ['crew.js', 'admin.js', 'crew.js']) expect(await statusOf(file)).toBe(404)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', msg: 'a file of the pages is gone', file: 'crew.js' }),
  ])
})
