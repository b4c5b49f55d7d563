import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { transformWithOxc } from 'vite'
import { start } from '../run.ts'
import { installVirtualTime } from '../virtual-time.ts'
import { Command } from './commands.ts'
import { Stage } from './stage.ts'

const host = '127.0.0.1'
const everyMs = { usual: 250, calm: 1_000 }

const security = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** Before the simulation takes the process's timers: the page goes by the machine's own time. */
const { setTimeout: wait } = globalThis
const real = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wait: (ms: number) => new Promise<void>((resolve) => void wait(resolve, ms)),
}

/** Serves the page until the process is told to end. */
export async function watch(
  place: { folder: string; template: string },
  seed: number,
  port: number,
): Promise<void> {
  const files = await readPage()
  const stage = await Stage.open(installVirtualTime(start), place, seed, real)
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error)
      response.writeHead(500, security).end()
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request
    const { pathname, searchParams } = new URL(url, 'http://page')
    // No other site may steer it, not even by a name of its own that leads here.
    const hosts = [`${host}:${addressPort()}`, `localhost:${addressPort()}`]
    if (!hosts.includes(headers.host ?? '')) return void response.writeHead(403, security).end()
    if (method === 'POST' && pathname === '/commands') return obey(request, response)
    if (method === 'GET' && pathname === '/evening') return stream(response, searchParams.has('calm'))
    const file = method === 'GET' ? files.get(pathname) : undefined
    if (!file) return void response.writeHead(404, security).end()
    response.writeHead(200, { ...security, 'content-type': file.type }).end(file.body)
  }

  async function obey(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isOwn = request.headers['content-type'] === 'application/json'
    const command = v.safeParse(Command, isOwn ? parse(await text(request)) : undefined)
    if (!command.success) return void response.writeHead(400, security).end()
    const said = await stage.do(command.output)
    response.writeHead(200, { ...security, 'content-type': 'application/json' }).end(JSON.stringify({ said }))
  }

  function stream(response: ServerResponse, isCalm: boolean): void {
    response.writeHead(200, { ...security, 'content-type': 'text/event-stream' })
    const stop = stage.watch(isCalm ? everyMs.calm : everyMs.usual, (view) => {
      // Whoever is slow sees less.
      if (!response.writableNeedDrain) response.write(`data: ${JSON.stringify(view)}\n\n`)
    })
    response.once('close', stop)
  }

  const addressPort = (): number => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : port
  }

  server.listen(port, host)
  await once(server, 'listening')
  console.log(`http://${host}:${addressPort()}/`)
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  ended.signal.addEventListener('abort', () => void stage.close())
  await stage.play()
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

type File = { type: string; body: string | Buffer }

async function readPage(): Promise<Map<string, File>> {
  const own = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
  const product = (name: string) => readFileSync(join(import.meta.dirname, '../../src/client/ui', name))
  const script = await transformWithOxc(own('page.ts'), 'page.ts')
  const style = { type: 'text/css; charset=utf-8' }
  const font = (name: string): [string, File] => [
    `/${name}.woff2`,
    { type: 'font/woff2', body: product(`fonts/${name}.woff2`) },
  ]
  return new Map<string, File>([
    ['/', { type: 'text/html; charset=utf-8', body: own('page.html') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: script.code }],
    ['/page.css', { ...style, body: own('page.css') }],
    ['/tokens.css', { ...style, body: product('tokens.css') }],
    ['/favicon.ico', { type: 'image/x-icon', body: '' }],
    font('bricolage'),
    font('atkinson'),
  ])
}
