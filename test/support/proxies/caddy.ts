import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { type ProxyProcess, startProxy } from './proxy-process.ts'

/** Caddy, as `deploy` configures it, in front of several nodes, given by their ports on this machine. */
export async function startCaddy(nodes: readonly number[]): Promise<ProxyProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-caddy-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n\tadmin off\n}\n${await readFile('deploy/Caddyfile', 'utf8')}`)
  const proxy = await startProxy('/usr/bin/caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    url,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      HOME: folder,
      DOMAIN: url,
      TLS: '',
      NODES: nodes.map((node) => `127.0.0.1:${node}`).join(' '),
    },
  })
  return {
    url,
    async stop() {
      await proxy.stop()
      await rm(folder, { recursive: true })
    },
  }
}
