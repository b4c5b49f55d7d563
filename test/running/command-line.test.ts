import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { migrations } from '../../src/server/storage/migrations/index.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { startMailServer } from '../support/outside/mail-server.ts'
import { freePort } from '../support/ports.ts'
import { commandLine, examine, tableside } from '../support/servers/command-line.ts'
import { startProcess, startServer } from '../support/servers/server-process.ts'

describe('the command line', () => {
  it('starts the server', async () => {
    const { url, drop } = await emptyDatabase()
    onTestFinished(drop)
    const server = await startProcess([commandLine, 'start'], {
      DATABASE_URL: url,
      PORT: '0',
      PUBLIC_URL: '',
      REDIS_URL: '',
      DEMO: 'off',
    })
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'ok' })
    await server.stop()
    expect(server.lines).toEqual([])
  })
})

describe('tableside start --json', () => {
  it('says where the server runs, as one line', async () => {
    const { url, drop } = await emptyDatabase()
    onTestFinished(drop)
    const env = { DATABASE_URL: url, PORT: '0', PUBLIC_URL: '', REDIS_URL: '', DEMO: 'on' }
    const child = spawn(process.execPath, [commandLine, 'start', '--json'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    // Beside its log.
    const said = await new Promise<Record<string, unknown>>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const parsed = JSON.parse(line)
        if ('ok' in parsed) resolve(parsed)
      })
    })
    expect(said).toMatchObject({
      ok: true,
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/u),
      demo: { restaurantName: 'The Copper Pot' },
    })
    expect(said['guests']).toContain(`${String(said['url'])}/customer?`)
    expect(said['crew']).toContain(`${String(said['url'])}/api/demo-crew/`)
    child.kill()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })
})

describe('tableside migrate', () => {
  const names = Object.keys(migrations)

  it('says what would run and runs nothing, then runs it', async () => {
    const { url, drop } = await emptyDatabase()
    onTestFinished(drop)
    const env = { DATABASE_URL: url }
    const { '001-initial': initial, '002-billing': billing } = migrations
    await (
      await openDatabase(url, { migrations: { '001-initial': initial, '002-billing': billing } })
    ).close()
    const plan = { ok: true, pending: names.slice(2), unknown: [], done: 2 }
    for (const _ of ['first', 'again']) {
      const { code, out } = await tableside(['migrate', '--plan', '--json'], env)
      expect(code).toBe(0)
      expect(JSON.parse(out)).toEqual(plan)
    }
    const { out } = await tableside(['migrate'], env)
    expect(out).toBe(
      `${names.length - 2} migrations ran:\n${names
        .slice(2)
        .map((name) => `  ${name}\n`)
        .join('')}`,
    )
    expect(await tableside(['migrate', '--plan'], env)).toEqual({
      code: 0,
      out: `Nothing to do: all ${names.length} migrations have run.\n`,
      err: '',
    })
  })

  it('refuses a database of a newer version', async () => {
    const { url, drop } = await freshDatabase()
    onTestFinished(drop)
    const newer = { ...migrations, '999-later': { up: async () => {} } }
    await (await openDatabase(url, { migrations: newer })).close()
    for (const words of [['migrate', '--plan'], ['migrate']]) {
      const { code, out, err } = await tableside(words, { DATABASE_URL: url })
      expect(code).toBe(1)
      expect(out + err).toContain(
        'comes from a newer version of Tableside, which this one cannot run:\n  999-later',
      )
    }
  })
})

describe('tableside doctor', () => {
  it('finds nothing wrong beside a running server, and changes nothing', async () => {
    const { url, drop } = await emptyDatabase()
    onTestFinished(drop)
    const port = String(await freePort())
    const server = await startServer(url, { PORT: port })
    onTestFinished(() => server.stop())
    const mail = await startMailServer()
    onTestFinished(() => mail.stop())
    const { code, problems, find, err } = await examine({
      DATABASE_URL: url,
      PORT: port,
      SMTP_URL: mail.mail.url,
      MAIL_FROM: mail.mail.from.address,
    })
    expect({ code, problems, err }).toEqual({ code: 0, problems: [], err: '' })
    expect(find('public url', 'ok')).toBe(`The server answers at http://localhost:${port}`)
    expect(find('live channel', 'ok')).toBe('WebSockets pass')
    expect(find('migrations', 'ok')).toBe(`All ${Object.keys(migrations).length} have run`)
    expect(find('keys', 'ok')).toBeDefined()
    expect(find('mail', 'ok')).toBe('The mail server answers and accepts the login')
    expect(mail.received).toEqual([])
    expect(server.lines).toEqual([])
    const { code: saidCode, out } = await tableside(['doctor'], { DATABASE_URL: url, PORT: port })
    expect(saidCode).toBe(0)
    expect(out).toMatch(/^ok {7}settings {6}All of them are valid$/mu)
  })
})
