import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { minuteMs } from '#contract/durations.ts'
import { freePort } from '../support/ports.ts'
import { createTestAuthority } from '../support/proxies/certificate.ts'
import { deployedProxies } from '../support/proxies/deployed-proxies.ts'
import { readContainerfile } from '../support/servers/containerfile.ts'
import {
  bareEnvironment,
  checkServer,
  execute,
  type InstalledServer,
  startInstalled,
} from '../support/servers/installed-server.ts'

/** Stands for the machine's root folder. */
let root: string
let checkout: string
let app: string
const startedAt = performance.now()
const readme = readFileSync('README.md', 'utf8')
const operations = readFileSync('docs/operations.md', 'utf8')

/** Whoever follows the pages is to be done by then. */
const mostMs = 15 * minuteMs

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tableside-installation-'))
  checkout = join(root, 'checkout')
  app = join(root, 'opt/tableside')
  await chmod(root, 0o755)
  await mkdir(checkout)
  const copy =
    'git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory="$0"'
  await execute('sh', ['-c', copy, checkout])
  await writeTools()
}, minuteMs)
afterAll(() => rm(root, { recursive: true, force: true }))

it(
  'the commands of the README start a demo in a fresh checkout',
  async () => {
    const [install, start, ...rest] = documented(readme, '## Run it')
    expect([install, start, rest]).toEqual(['npm ci', 'npm start', []])
    await follow(['npm ci'])
    const env = { ...bareEnvironment(), PORT: `${await freePort()}` }
    const server = await startInstalled('npm', ['start'], { cwd: checkout, env })
    for (const name of ['Guests', 'Crew']) {
      const link = () => new RegExp(`^  ${name} +(\\S+)$`, 'mu').exec(server.output.join('\n'))?.[1]
      await expect.poll(link).toBeDefined()
      expect((await fetch(link() ?? '', { headers: { accept: 'text/html' } })).status).toBe(200)
    }
  },
  mostMs,
)

it(
  'the commands for systemd and Caddy install what they then run',
  async () => {
    const commands = documented(operations, '### On one machine with systemd')
    expect(commands[0]).toBe('npm ci')
    // The README's came first, in the same checkout.
    expect(await follow(commands.slice(1))).toEqual([
      'useradd --system --home-dir /var/lib/tableside tableside',
      'systemctl daemon-reload',
      'systemctl enable --now tableside',
    ])
    expect(await follow(documented(operations, 'Before it stands Caddy:'))).toEqual([
      'apt-get install caddy',
      'systemctl daemon-reload',
      'systemctl restart caddy',
    ])
    expect(await developmentPackages()).toEqual([])
    const unit = await readFile(join(root, 'etc/systemd/system/tableside.service'), 'utf8')
    const line = (name: string): string => new RegExp(`^${name}=(.*)$`, 'mu').exec(unit)?.[1] ?? ''
    const settingsFile = atRoot(line('EnvironmentFile'))
    expect((await stat(settingsFile)).mode & 0o777).toBe(0o600)
    const settings = readSettings(`${line('Environment')}\n${await readFile(settingsFile, 'utf8')}`)
    expect(settings).toMatchObject({ NODE_ENV: 'production', PUBLIC_URL: 'https://tables.example.com' })

    const cwd = await ownFolder(atRoot(line('WorkingDirectory')))
    const port = `${await freePort()}`
    const env = { ...bareEnvironment(), ...settings, PORT: port }
    const server = await startInstalled(...asUser(line('ExecStart').split(' ').map(atRoot)), { cwd, env })
    expect(server.url).toBe('https://tables.example.com')
    await checkServer(`http://127.0.0.1:${port}`, server.url)

    const backups = async () => (await readdir(join(cwd, 'backups'))).filter((name) => name.endsWith('.db'))
    await expect.poll(() => backups().catch(() => [])).toHaveLength(1)
    await isServedByCaddy(port)
    const [, doctor = ''] = documented(operations, '### Is it right?')
      .join('\n')
      .split(/\n(?=systemd-run)/u)
    const said = await runDocumented(`${atRoot(doctor)} --json`).catch(
      (error: { stdout?: string }) => error.stdout,
    )
    const { checks }: { checks: { name: string; state: string; text: string }[] } = JSON.parse(said ?? '')
    const problems = checks.filter(({ state }) => state === 'problem')
    // Nobody reaches tables.example.com from here: it is to say so, and to find nothing else that is wrong.
    expect(problems).toEqual([
      expect.objectContaining({ text: expect.stringContaining('tables.example.com') }),
    ])
    expect(checks.find(({ name }) => name === 'backup')?.state).toBe('ok')

    await server.stop()
    expect((await stat(join(cwd, 'data/tableside.db'))).mode & 0o077).toBe(0)
  },
  mostMs,
)

/** What is installed of the packages that the lock file names for development. */
async function developmentPackages(): Promise<string[]> {
  const { packages }: { packages: Record<string, { dev?: boolean; devOptional?: boolean }> } = JSON.parse(
    await readFile(join(checkout, 'package-lock.json'), 'utf8'),
  )
  return Object.keys(packages).filter((name) => {
    const { dev = false, devOptional = false } = packages[name] ?? {}
    return (dev || devOptional) && existsSync(join(app, name))
  })
}

/** As it was installed, but with a certificate of the test's own for localhost: nothing leads to the real name. */
async function isServedByCaddy(serverPort: string): Promise<void> {
  expect(await readFile(join(root, 'etc/caddy/Caddyfile'), 'utf8')).toBe(
    readFileSync('deploy/Caddyfile', 'utf8'),
  )
  const addition = await readFile(join(root, 'etc/systemd/system/caddy.service.d/tableside.conf'), 'utf8')
  expect(addition).toBe('[Service]\nEnvironment=DOMAIN=tables.example.com NODES=localhost:3000\n')
  const { authority, issued } = createTestAuthority()
  const port = await freePort()
  const nodes = [Number(serverPort), Number(serverPort)] as const
  const proxy = await deployedProxies.Caddy({ port, nodes, certificate: issued })
  onTestFinished(() => proxy.stop())
  const status = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = get(`${proxy.url}/readyz`, { ca: authority, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      call.on('error', reject)
    })
  await expect.poll(status).toBe(200)
}

it('the commands for containers write what the compose file reads', async () => {
  const commands = documented(readme, '## Run it in production')
  expect(documented(operations, '### In containers')).toEqual(commands)
  const compose = 'docker compose --file deploy/compose.yaml'
  expect(await follow(commands)).toEqual([`${compose} up --build --detach`])
  expect(await readFile(join(checkout, 'deploy/.env'), 'utf8')).toMatch(
    /^DOMAIN=tables\.example\.com\nPOSTGRES_PASSWORD=[0-9a-f]{48}\n$/u,
  )
})

it('all of these installations together take less than a quarter of an hour', () => {
  const ms = performance.now() - startedAt
  process.stdout.write(`from the checkout to production: ${Math.round(ms / 1000)} s\n`)
  expect(ms).toBeLessThan(mostMs)
})

const image = readContainerfile()
const settings = async () => ({ PORT: `${await freePort()}`, HOST: '127.0.0.1', BILLING: 'off' })

type Running = InstalledServer & { isHealthy: () => Promise<boolean> }

const succeeds = (run: Promise<unknown>): Promise<boolean> =>
  run.then(
    () => true,
    () => false,
  )

it('the image runs as nobody in particular, writes only its data, and checks its health', async () => {
  // Some machines have Podman and may not run containers.
  const run = ['run', '--rm', '--network=host', image.base, 'node', '--version']
  const canBuild = await succeeds(execute('podman', run))
  process.stdout.write(
    canBuild
      ? `podman build on ${image.base}\n`
      : `Podman runs no ${image.base} here: the same steps by script\n`,
  )
  const server = await (canBuild ? runImage() : runAsImage())
  await checkServer(server.url)
  expect(await server.isHealthy()).toBe(true)
  await server.stop()
  expect(await server.isHealthy()).toBe(false)
}, 600_000)

async function runImage(): Promise<Running> {
  const name = `tableside-test-${process.pid}`
  await execute('podman', ['build', '--network=host', '-f', 'deploy/Containerfile', '-t', name, '.'], {
    maxBuffer: Infinity,
  })
  onTestFinished(async () => void (await execute('podman', ['rmi', '--force', name])))
  const given = Object.entries(await settings()).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const limits = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges', '--network=host']
  const server = await startInstalled('podman', ['run', '--rm', '--name', name, ...limits, ...given, name], {
    cwd: '.',
    env: bareEnvironment(),
  })
  return { ...server, isHealthy: () => succeeds(execute('podman', ['exec', name, ...image.healthCheck])) }
}

/** What the image does, in the folder that the same script has filled. */
async function runAsImage(): Promise<Running> {
  const cwd = await ownFolder(join(root, 'data'))
  const inFolder = (text: string) =>
    text === 'node' ? join(app, 'node_modules/.bin/node') : atRoot(text).replace('/data/', `${cwd}/`)
  const env = Object.fromEntries(Object.entries(image.env).map(([key, value]) => [key, inFolder(value)]))
  const options = { cwd, env: { ...bareEnvironment(), ...env, ...(await settings()) } }
  const server = await startInstalled(
    ...asUser([...image.entrypoint, ...image.command].map(inFolder)),
    options,
  )
  const [program = '', ...args] = image.healthCheck.map(inFolder)
  return { ...server, isHealthy: () => succeeds(execute(program, args, options)) }
}

const atRoot = (text: string): string => text.replaceAll(/(?<![\w.])(?=\/(?:opt|etc|var)\/)/gu, root)

const readSettings = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gmu)].map(([, name, value]) => [name, value]))

/** The commands of the first block after these words. */
function documented(page: string, words: string): string[] {
  const [, section = ''] = page.split(`${words}\n`)
  const block = /```(?:sh)?\n(?<commands>[^`]+)\n```/u.exec(section)?.groups?.['commands'] ?? ''
  expect(block).not.toBe('')
  return block.split('\n')
}

/** They would change the machine itself, need a network of their own, or systemd as its first process. */
const onlyNoted = ['useradd', 'systemctl', 'apt-get', 'docker']

const tools = () => join(root, 'tools')
const log = () => join(root, 'ran')

async function writeTools(): Promise<void> {
  await mkdir(tools())
  const write = (name: string, text: string) =>
    writeFile(join(tools(), name), `#!/bin/sh\n${text}`, { mode: 0o755 })
  for (const tool of onlyNoted) await write(tool, `echo "${tool} $*" >>${log()}\n`)
  // Runs the command with the settings and in the folder that it is given, but as this user.
  await write(
    'systemd-run',
    [
      'while [ "${1#--}" != "$1" ]; do',
      '  case $1 in',
      '    --setenv=*) export "${1#--setenv=}" ;;',
      '    --working-directory=*) cd "${1#*=}" ;;',
      '    --property=EnvironmentFile=*) set -a; . "${1##*=}"; set +a ;;',
      '  esac',
      '  shift',
      'done',
      'exec "$@"\n',
    ].join('\n'),
  )
  for (const folder of ['etc/systemd/system', 'etc/caddy', 'opt'])
    await mkdir(join(root, folder), { recursive: true })
}

/** Runs commands in the checkout as they are documented, but below `root`. Returns those that were only noted. */
async function follow(commands: string[]): Promise<string[]> {
  await writeFile(log(), '')
  await runDocumented(commands.map((line) => (line.startsWith('useradd') ? line : atRoot(line))).join('\n'))
  return (await readFile(log(), 'utf8')).split('\n').filter(Boolean)
}

async function runDocumented(script: string): Promise<string> {
  const env = bareEnvironment()
  const { stdout } = await execute('sh', ['-eu', '-c', script], {
    cwd: checkout,
    env: { ...env, PATH: `${tools()}${delimiter}${env['PATH']}` },
    maxBuffer: Infinity,
  })
  return stdout
}

const isRoot = process.getuid?.() === 0

async function ownFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  if (isRoot) await chown(folder, ...image.user)
  return folder
}

/** As a user who may write nothing but that folder, without any of root's rights. */
function asUser(command: string[]): [string, string[]] {
  const [uid, gid] = image.user
  const change = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
  ]
  const [program = '', ...args] = isRoot ? ['setpriv', ...change, ...command] : command
  return [program, args]
}
