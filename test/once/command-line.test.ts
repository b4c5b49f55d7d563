import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bootstrapBilling } from '../../src/server/cli/billing-bootstrap.ts'
import { runCommandLine } from '../../src/server/cli/command-line.ts'
import { CommandError } from '../../src/server/cli/output.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { migrations } from '../../src/server/storage/migrations/index.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { emptySqliteDatabase } from '../support/database.ts'
import { startMailServer } from '../support/outside/mail-server.ts'
import { freePort } from '../support/ports.ts'
import { examine, tableside } from '../support/servers/command-line.ts'
import { startFakeStripe } from '../support/stripe/fake-stripe.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-commands-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** In this process, for what ends before a command runs. */
async function say(words: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const keep = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    said[stream] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('err')),
  ]
  try {
    return { code: await runCommandLine(words), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describe('the command line', () => {
  it('says what there is, and what each command takes', async () => {
    const { code, out } = await tableside(['--help'])
    expect(code).toBe(0)
    const commands = [...out.matchAll(/^  ([a-z-]+) .*/gmu)].map(([, name = '']) => name)
    const known = [
      'start',
      'doctor',
      'backup',
      'restore',
      'verify',
      'reset-password',
      'export',
      'erase',
      'migrate',
      'billing-bootstrap',
      'help',
    ]
    expect(commands).toEqual(known)
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await say([command, '--help'])
      expect(help).toMatchObject({ code: 0, err: '' })
      expect(help.out).toMatch(new RegExp(`^Usage: tableside ${command} `, 'u'))
    }
  })

  it.for<[string[], string]>([
    [[], 'Usage: tableside'],
    [['polish'], "unknown command 'polish'"],
    [['reset-password'], "missing required argument 'restaurant-or-email'"],
    [['migrate', '--fast'], "unknown option '--fast'"],
    [['doctor', 'please'], 'too many arguments'],
    [['reset-password', ' '], 'Please name a restaurant'],
  ])('refuses %j', async ([words, reason]) => {
    const { code, out, err } = await say(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(reason)
  })
})

it.runIf(existsSync('/usr/bin/script'))(
  'what takes longer says on a terminal how long it has taken, however busy its thread is',
  async () => {
    const module = new URL('../../src/server/cli/progress.ts', import.meta.url).href
    const program = join(folder, 'busy.mjs')
    // It reads as SQLite does: nothing else runs in this thread meanwhile.
    await writeFile(
      program,
      `import { readSync } from 'node:fs'
       import { createProgress } from ${JSON.stringify(module)}
       const progress = createProgress('Erasing')
       readSync(0, Buffer.alloc(1))
       await progress[Symbol.asyncDispose]()
       console.log('Erased')`,
    )
    const command = `${process.execPath} ${program}`
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], { stdio: 'pipe' })
    onTestFinished(() => void terminal.kill())
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', (text) => (shown += text))
    await expect.poll(() => shown).toContain('\r\u001B[KErasing, 2 s')
    terminal.stdin.end('\n')
    await once(terminal, 'close')
    // The line is gone before the command says what it has done.
    expect(shown.endsWith('\r\u001B[KErased\r\n')).toBe(true)
  },
)

it.for(['backup', 'export Blue Door', 'erase Blue Door --yes', 'migrate'])(
  'tableside %s says in words that the database cannot be used',
  async (words, { task }) => {
    const place = join(folder, task.id)
    await mkdir(place)
    await writeFile(join(place, 'tableside.db'), 'Something else, and longer than the header of a database.')
    const closed = await freePort()
    const urls = [`file:${place}/tableside.db`, `postgres://sam:lantern-7@127.0.0.1:${closed}/x`]
    for (const url of urls) {
      const { code, out, err } = await tableside(words.split(' '), { DATABASE_URL: url })
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(/^The database cannot be (?:used|opened)[^\n]+\n$/u)
      expect(err).not.toContain('lantern-7')
    }
  },
)

describe('tableside start --json', () => {
  it('says why it does not', async () => {
    const { code, out, err } = await tableside(['start', '--json'], { PORT: 'many' })
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(JSON.parse(out)).toEqual({ ok: false, error: expect.stringContaining('PORT must be') })
  })
})

describe('tableside billing-bootstrap', () => {
  it('makes what is missing at Stripe, once, and shows the secret only then', async () => {
    const fake = await startFakeStripe()
    onTestFinished(() => fake.stop())
    const at = { secretKey: 'sk_test_key', publicUrl: 'https://tables.example', api: fake.api }
    const first = await bootstrapBilling(at)
    expect(first.text).toMatch(
      /is price_\w+, made now\n.*\nThe webhook is made\..* STRIPE_WEBHOOK_SECRET=whsec_/u,
    )
    expect(first.json).toMatchObject({ prices: [expect.any(String), expect.any(String)] })
    const again = await bootstrapBilling(at)
    expect(again.text).toContain('The webhook of https://tables.example is there already')
    expect(again.json['webhook']).toEqual({ url: 'https://tables.example', secret: null })
    const local = await bootstrapBilling({ ...at, publicUrl: null })
    expect(local.text).toContain('No webhook was made')
    expect(fake.problems).toEqual([])
  })

  it('needs a key that Stripe knows, and says so', async () => {
    expect(await tableside(['billing-bootstrap'], { STRIPE_SECRET_KEY: '' })).toEqual({
      code: 1,
      out: '',
      err: 'Please set STRIPE_SECRET_KEY\n',
    })
    const fake = await startFakeStripe()
    await fake.stop()
    await expect(
      bootstrapBilling({ secretKey: 'sk_test_key', publicUrl: null, api: fake.api }),
    ).rejects.toThrow(CommandError)
  })

  it('is what npm run billing:bootstrap does', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(scripts['billing:bootstrap']).toBe('node src/server/cli/main.ts billing-bootstrap')
  })
})

describe('tableside migrate', () => {
  it('creates no database to plan, and leaves a running server its own', async () => {
    const path = join(folder, 'none')
    await mkdir(path)
    const planned = await tableside(['migrate', '--plan', '--json'], {
      DATABASE_URL: `file:${path}/tableside.db`,
    })
    expect(JSON.parse(planned.out)).toMatchObject({ pending: Object.keys(migrations) })
    expect(await readdir(path)).toEqual([])
  })
})

describe('tableside doctor', () => {
  it('lists every invalid setting', async () => {
    const { code, problems } = await examine({ PORT: 'many', BILLING: 'perhaps' })
    expect(code).toBe(1)
    expect(problems.map(({ text }) => text)).toEqual([
      'PORT must be a number from 0 to 65535, not "many"',
      'BILLING must be on or off, not "perhaps"',
    ])
  })

  it('says what is wrong with the data, and what to do', async () => {
    const { url, drop } = await emptySqliteDatabase()
    onTestFinished(drop)
    const path = url.slice('file:'.length)
    const database = await openDatabase(url)
    await database.transact(async (db) => {
      await settings.put(db, 'installation-key', 'key')
      await settings.put(db, 'push-keys', JSON.stringify({ publicKey: 'a', privateKey: 'b' }))
    })
    await database.close()
    await chmod(join(path, '..'), 0o755)
    await chmod(path, 0o644)
    const { code, find } = await examine({ DATABASE_URL: url })
    expect(code).toBe(1)
    expect(find('data folder', 'problem')).toBe(
      `Other users of this machine may read the data. Please run: chmod go= ${path}`,
    )
    expect(find('push', 'problem')).toMatch(/^The keys for pushes do not belong together/u)
    expect(find('server', 'note')).toBe('It is not running')
  })

  it('says what it cannot reach, without telling any password', async () => {
    const mail = await startMailServer()
    onTestFinished(() => mail.stop())
    const closed = await freePort()
    const { code, out, find } = await examine({
      DATABASE_URL: `postgres://sam:lantern-7@127.0.0.1:${closed}/x`,
      REDIS_URL: `redis://:lantern-7@127.0.0.1:${closed}`,
      SMTP_URL: `smtp://tableside:lantern-7@${mail.host}`,
      MAIL_FROM: 'alerts@example.com',
      PUBLIC_URL: `https://127.0.0.1:${closed}`,
      NODE_ENV: 'production',
      BILLING: 'off',
    })
    expect(code).toBe(1)
    expect(find('database', 'problem')).toContain(`ECONNREFUSED 127.0.0.1:${closed}`)
    expect(find('redis', 'problem')).toMatch(/^It cannot be reached/u)
    expect(find('mail', 'problem')).toBe('The mail server does not accept the login of this server')
    expect(find('proxy', 'problem')).toContain('TRUST_PROXY=loopback')
    expect(find('public url', 'warning')).toContain('cannot be reached from here')
    expect(out).not.toContain('lantern-7')
  })
})
