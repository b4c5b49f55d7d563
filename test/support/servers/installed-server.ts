import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { api, type Route } from '#contract/api.ts'
import { allowConnections } from '../network.ts'

export const execute = promisify(execFile)

type Env = Record<string, string>

/** As outside of this checkout: nothing that npm and the test runner have set, and only the machine's own Node. */
export function bareEnvironment(): Env {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE_(?!EXTRA_CA)|VITE)/iu.test(name),
  )
  return { ...(Object.fromEntries(kept) as Env), PATH: path.join(delimiter) }
}

export type InstalledServer = { url: string; output: string[]; stop(): Promise<void> }

/** Starts a program that ends up as the server, and waits until it says its address. */
export async function startInstalled(
  program: string,
  args: string[],
  options: { cwd: string; env: Env },
): Promise<InstalledServer> {
  // A group of its own, so that the test can end all that it started.
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const output: string[] = []
  const closed = once(child, 'close')
  const { promise: url, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      output.push(line)
      const said = / is running at (\S+)$/u.exec(line)?.[1]
      if (said !== undefined) resolve(said)
    })
  }
  child.once('error', reject)
  void closed.then(() => reject(new Error(`It did not start: ${output.join('\n')}`)))
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, 'SIGKILL')
  })
  const server = { url: await url, output }
  allowConnections(server.url)
  return {
    ...server,
    async stop() {
      child.kill('SIGTERM')
      await closed
      expect({ code: child.exitCode, output }).toMatchObject({ code: 0 })
    },
  }
}

/** Asks for the readiness, a page and its script, and for figures, which another thread answers. */
export async function checkServer(url: string, origin = url): Promise<void> {
  allowConnections(url)
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ok', problems: [] })

  const signedUp = await post(api.accounts.signUp, '', {
    restaurantName: 'Blue Door',
    email: 'owner@example.com',
    password: 'copper-lantern-42',
    timeZone: 'UTC',
  })
  const cookies = signedUp.headers.getSetCookie().map((line) => line.split(';')[0])
  const cookie = cookies.join('; ')
  await post(api.floor.setUp, cookie, { setupType: 'custom', customTables: ['7'] })

  const page = await fetch(`${url}/customer?${new URLSearchParams({ r: 'Blue Door', t: '7' })}`, {
    headers: { 'accept-language': 'de' },
  })
  const html = await page.text()
  expect({ status: page.status, html }).toEqual({ status: 200, html: expect.stringContaining('Rechnung') })
  const script = /src="(?<path>\/assets\/[^"]+\.js)"/u.exec(html)?.groups?.['path'] ?? 'no script'
  const asset = await fetch(url + script, { headers: { 'accept-encoding': 'br' } })
  expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'br'])

  const today = new Date().toISOString().slice(0, 10)
  const days = new URLSearchParams({ from: today, to: today })
  const figures = await fetch(`${url}${api.analytics.figures.path}?${days}`, { headers: { cookie } })
  expect({ status: figures.status, text: await figures.text() }).toMatchObject({ status: 200 })

  async function post(route: Route, cookie: string, body: unknown): Promise<Response> {
    const answer = await fetch(url + route.path, {
      method: route.method,
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify(body),
    })
    expect({ ok: answer.ok, text: await answer.text() }).toMatchObject({ ok: true })
    return answer
  }
}
