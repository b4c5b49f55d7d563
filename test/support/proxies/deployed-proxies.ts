import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import type { Certificate } from './certificate.ts'
import { runNginx } from './nginx.ts'
import { type ProxyProcess, startProxy } from './proxy-process.ts'

type Site = {
  /** The port of https://localhost. */
  port: number
  nodes: readonly [number, number]
  certificate: Certificate
}

export type DeployedProxy = ProxyProcess & { httpUrl: string }

/** The proxies as `deploy` configures them: only names, ports and paths are filled in. */
export const deployedProxies = {
  nginx: (site: Site): Promise<DeployedProxy> =>
    withFiles(site, async ({ url, httpPort, certificateFile, keyFile }) => {
      const shipped = await readFile('deploy/nginx.conf', 'utf8')
      const filledIn = fillIn(shipped, [
        [/ listen \[::\].*\n/gu, '\n'],
        [/listen 80;/gu, `listen 127.0.0.1:${httpPort};`],
        [/listen 443/gu, `listen 127.0.0.1:${site.port}`],
        [/127\.0\.0\.1:3000/gu, `127.0.0.1:${site.nodes[0]}`],
        [/127\.0\.0\.1:3001/gu, `127.0.0.1:${site.nodes[1]}`],
        [/server_name tables\.example\.com/gu, 'server_name localhost'],
        [/\/etc\/\S+\/fullchain\.pem/gu, certificateFile],
        [/\/etc\/\S+\/privkey\.pem/gu, keyFile],
      ])
      return runNginx(url, filledIn)
    }),

  Caddy: (site: Site): Promise<DeployedProxy> =>
    withFiles(site, async ({ url, httpPort, certificateFile, keyFile, folder }) => {
      const file = join(folder, 'Caddyfile')
      const shipped = await readFile('deploy/Caddyfile', 'utf8')
      await writeFile(file, `{\n\tadmin off\n\thttp_port ${httpPort}\n}\n${shipped}`)
      return startProxy('/usr/bin/caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
        url,
        stdio: ['ignore', 'ignore', 'ignore'],
        env: {
          HOME: folder,
          DOMAIN: `localhost:${site.port}`,
          TLS: `tls ${certificateFile} ${keyFile}`,
          NODES: site.nodes.map((node) => `127.0.0.1:${node}`).join(' '),
        },
      })
    }),
}

type Files = { url: string; httpPort: number; folder: string; certificateFile: string; keyFile: string }

async function withFiles(site: Site, start: (files: Files) => Promise<ProxyProcess>): Promise<DeployedProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-proxy-'))
  const files = {
    url: `https://localhost:${site.port}`,
    httpPort: await freePort(),
    folder,
    certificateFile: join(folder, 'certificate.pem'),
    keyFile: join(folder, 'key.pem'),
  }
  await writeFile(files.certificateFile, site.certificate.cert)
  await writeFile(files.keyFile, site.certificate.key)
  const proxy = await start(files)
  return {
    url: files.url,
    httpUrl: `http://localhost:${files.httpPort}`,
    async stop() {
      await proxy.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Each must be there: otherwise the file has changed, and not that one would be tested. */
function fillIn(text: string, replacements: [RegExp, string][]): string {
  return replacements.reduce((rest, [pattern, value]) => {
    if (rest.search(pattern) === -1) throw new Error(`deploy no longer says ${pattern.source}`)
    return rest.replaceAll(pattern, value)
  }, text)
}
