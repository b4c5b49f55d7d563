import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { openReader } from '../../src/server/storage/engine/database.ts'
import { lockExports } from '../../src/server/storage/export/exported-rows.ts'
import { setUpApp, type TestBrowser } from '../support/app.ts'
import { readZip } from '../support/reading/zip-reader.ts'

const app = setUpApp()

const download = (owner: TestBrowser): Promise<Response> =>
  owner.fetch(api.restaurant.download.path, { method: 'POST' })

it('a file of everything waits for one that another server of the installation writes', async () => {
  const { owner } = await app.restaurant()
  const other = openReader(app.ctx.db.url)
  onTestFinished(() => other.destroy())
  const refused = await other.transaction().execute(async (transaction) => {
    expect(await lockExports(transaction)).toBe(true)
    return download(owner)
  })
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('10')
  // And does not count.
  for (let n = 0; n < 5; n++) {
    const answer = await download(owner)
    expect(answer.status).toBe(200)
    expect(readZip(Buffer.from(await answer.arrayBuffer())).has('manifest.json')).toBe(true)
  }
})
