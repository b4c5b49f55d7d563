import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'

const app = setUpApp()

it('tells a browser that nobody is signed in, or somebody who is not the owner', async () => {
  const { owner, device } = await app.restaurant()
  const stranger = app.browser()
  for (const name of device.cookies.keys()) stranger.cookies.set(name, 'x'.repeat(32))
  const toldAt = (path: string) => async (browser: TestBrowser) => {
    const response = await browser.fetch(path, { headers: { accept: 'text/html' } })
    expect(response.headers.get('vary')).toContain('cookie')
    return /<html data-session="(\w+)"/u.exec(await response.text())?.[1]
  }
  const browsers = [app.browser(), stranger, device, owner]
  expect(await Promise.all(browsers.map(toldAt('/dashboard')))).toEqual(['none', 'none', 'staff', undefined])
  // A crew page asks for no owner, and many are opened at once.
  expect(await Promise.all(browsers.map(toldAt('/waiter')))).toEqual([
    'none',
    undefined,
    undefined,
    undefined,
  ])
})

it.each(['/', '/waiter', '/subscribe', '/reset-password'])(
  '%s allows the one script in its page',
  async (path) => {
    const response = await app.browser().fetch(path, { headers: { accept: 'text/html' } })
    const scripts = [...(await response.text()).matchAll(/<script>(.+?)<\/script>/gsu)]
    const policy = response.headers.get('content-security-policy')
    expect(scripts).toHaveLength(1)
    for (const [, script = ''] of scripts)
      expect(policy).toContain(` 'sha256-${createHash('sha256').update(script).digest('base64')}';`)
    expect(policy).not.toContain('unsafe-inline')
  },
)

it('compresses scripts but not sounds, which phones load in parts', async () => {
  const encodingOf = async (pattern: string): Promise<string | null> => {
    const [file = ''] = globSync(pattern, { cwd: 'dist/client/assets' })
    const headers = { 'accept-encoding': 'gzip, br' }
    const response = await app.browser().fetch(`/assets/${file}`, { headers })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    // What is cached for ever and comes as a whole is never asked for again.
    expect(response.headers.has('etag')).toBe(pattern === '*.wav')
    return response.headers.get('content-encoding')
  }
  expect(await encodingOf('*.js')).toBe('br')
  expect(await encodingOf('*.wav')).toBeNull()
})

it('says how long a file is to whoever asks for a part past its end', async () => {
  const [sound = ''] = globSync('*.wav', { cwd: 'dist/client/assets' })
  for (const path of ['/service-worker.js', '/developers/openapi.json', `/assets/${sound}`]) {
    const whole = await app.browser().fetch(path, { headers: { 'accept-encoding': 'identity' } })
    const { byteLength } = await whole.arrayBuffer()
    const headers = { 'accept-encoding': 'identity', range: `bytes=${byteLength}-` }
    const response = await app.browser().fetch(path, { headers })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${byteLength}`)
    expect(await response.json()).toEqual({
      code: 'range_not_satisfiable',
      message: 'The file has no such part',
    })
  }
})

it('says that a file is not the one that the caller has', async () => {
  const response = await app.browser().fetch('/service-worker.js', { headers: { 'if-match': '"other"' } })
  expect(response.status).toBe(412)
  expect(await response.json()).toEqual({ code: 'precondition_failed', message: 'The file has changed' })
})

it('sends what was built outside of the assets by its name, and in whatever form the browser takes', async () => {
  const files = globSync('{*,developers/*}.{js,json,html,webmanifest,png,css}', { cwd: 'dist/client' })
  expect(files).toEqual(expect.arrayContaining(['service-worker.js', 'developers/openapi.json']))
  for (const file of files) {
    const ask = (method: string, path = `/${file}`) =>
      app.browser().fetch(path, { method, headers: { 'accept-encoding': 'br' } })
    const [response, head] = [await ask('GET'), await ask('HEAD')]
    expect({ file, status: response.status }).toEqual({ file, status: 200 })
    expect(response.headers.get('content-encoding')).toBe(file.endsWith('.png') ? null : 'br')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    for (const name of ['content-type', 'content-encoding', 'etag', 'last-modified', 'vary'])
      expect(head.headers.get(name)).toBe(response.headers.get(name))
    expect((await ask('GET', `/${file}.br`)).status).toBe(404)
    await response.arrayBuffer()
  }
})

it('has a browser ask another server for a file of another version, if there can be one', async () => {
  const onPostgres = app.ctx.db.engine === 'postgres'
  for (const file of ['/assets/crew-Ab_9-xyz.js', '/catalogues/portals/de-AbCdEf_123.json']) {
    const asked: (string | null)[] = []
    let response = await app.browser().fetch(file)
    for (; response.status === 307; response = await app.browser().fetch(asked.at(-1) ?? '')) {
      expect(response.headers.get('cache-control')).toBe('no-store')
      asked.push(response.headers.get('location'))
    }
    expect(response.status).toBe(404)
    expect(asked).toEqual(
      Array.from({ length: onPostgres ? 16 : 0 }, (_, index) => `${file}?asked=${index + 1}`),
    )
  }
  for (const path of ['/assets/crew.js', '/assets/..%2fcrew-12345678.js', '/api/assets/crew-12345678.js'])
    expect((await app.browser().fetch(path)).status).toBe(404)
})
