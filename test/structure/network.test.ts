import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { expectConsoleError } from '../support/console.ts'
import { allowConnections, forbidConnections, guardConnections } from '../support/network.ts'
import { portOf } from '../support/ports.ts'

const program = `
  import { createServer } from 'node:http'
  const server = createServer((request, response) => response.end('hello'))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** A program that has nothing to do with the tests. */
const stranger = spawn(process.execPath, ['--input-type=module', '-e', program])
let port = ''
beforeAll(async () => {
  ;[port] = await once(createInterface(stranger.stdout), 'line')
  forbidConnections(`http://localhost:${port}`)
})
afterAll(() => {
  stranger.kill()
})

it('lets no test reach what another program serves', async () => {
  expectConsoleError(/connects to localhost:\d+, where no test started a server/)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
})

it.each(['localhost', '127.0.0.1', '::1', undefined])('refuses a connection to host %s', async (host) => {
  expectConsoleError(/connects to localhost:\d+, where no test started a server/)
  const socket = host === undefined ? connect(Number(port)) : connect(Number(port), host)
  const [error] = await once(socket, 'error').catch((error) => [error])
  expect(error.message).toContain('where no test started a server')
})

it('refuses a connection to another machine', async () => {
  expectConsoleError(/connects to example\.com:443, where no test started a server/)
  await expect(fetch('https://example.com')).rejects.toThrow('fetch failed')
})

it('lets a test reach a program that it started and named', async () => {
  allowConnections(`http://localhost:${port}`)
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello')
})

it('still knows the servers of before when a worker loads it again for another environment', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    guardConnections()
  })
  vi.resetModules()
  const loadedAgain = await import('../support/network.ts')
  loadedAgain.guardConnections()
  const socket = connect(portOf(server), '127.0.0.1')
  const [greeting] = await once(socket, 'data')
  expect(String(greeting)).toBe('hello')
})
