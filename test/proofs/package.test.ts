import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bareEnvironment, checkServer, execute, startInstalled } from '../support/servers/installed-server.ts'

it('npx runs what npm pack makes, where there is nothing but Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-package-'))
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }))
  const env = bareEnvironment()
  await execute('npm', ['pack', '--pack-destination', folder], { env })
  const [tarball = ''] = await readdir(folder)
  expect(tarball).toMatch(/^tableside-\d+\.\d+\.\d+\.tgz$/u)

  // Nothing is left on this machine, but what it has downloaded before is not downloaded again.
  const { stdout } = await execute('npm', ['config', 'get', 'cache'])
  await mkdir(join(folder, 'npm'))
  await symlink(join(stdout.trim(), '_cacache'), join(folder, 'npm/_cacache'))
  const settings = { npm_config_cache: join(folder, 'npm'), PORT: '0', DEMO: 'off' }
  const npx = await startInstalled(
    'npx',
    ['--yes', `--package=${join(folder, tarball)}`, 'tableside', 'start'],
    {
      cwd: folder,
      env: { ...env, ...settings },
    },
  )
  await checkServer(npx.url)

  const [name = ''] = await readdir(join(folder, 'npm/_npx'))
  const installed = join(folder, 'npm/_npx', name, 'node_modules')
  const { stdout: packages } = await execute('find', [
    installed,
    '-name',
    'package.json',
    '-path',
    '*node_modules/*',
  ])
  const development =
    /\/node_modules\/(?:vite|vitest|typescript|react|oxlint|playwright-core)\/package\.json/u
  expect(packages).not.toMatch(development)
  expect(packages).toMatch(/\/node_modules\/fastify\/package\.json/u)

  const alone = await startInstalled(join(installed, '.bin/tableside'), ['start'], {
    cwd: folder,
    env: { ...env, ...settings, DATABASE_URL: 'file:./other/tableside.db' },
  })
  await alone.stop()
})
