import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { password, TestBrowser } from '../support/app.ts'
import { emptyDatabase } from '../support/database.ts'
import { type Said, tableside } from '../support/servers/command-line.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-reset-'))
})
afterAll(() => rm(folder, { recursive: true }))

const resetPassword = (databaseUrl: string, named: string): Promise<Said> =>
  tableside(['reset-password', ...named.split(' ')], { DATABASE_URL: databaseUrl })

async function start(databaseUrl: string): Promise<{ server: ServerProcess; browser: () => TestBrowser }> {
  const server = await startServer(databaseUrl)
  return { server, browser: () => new TestBrowser(() => server.url) }
}

const signUp = (browser: TestBrowser, restaurantName: string) =>
  browser.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })

const linkIn = ({ out }: Said): string => /^http\S+\/reset-password#[\w-]{32}$/mu.exec(out)?.[0] ?? ''

/** Follows the link on the running server, and signs in with the new password. */
async function follow(said: Said, browser: TestBrowser, newPassword: string): Promise<void> {
  const token = linkIn(said).split('#')[1] ?? ''
  await browser.ok(api.recovery.byLink, { body: { token, password: newPassword } })
  await browser.ok(api.accounts.ownerLogin, { body: { username: 'Blue Door', password: newPassword } })
}

/** On the engine of this run, and always on SQLite, which has its own socket and lock. */
describe('tableside reset-password', () => {
  it('prints a link while the server runs, after it was killed, and while it is stopped', async () => {
    const url = `file:${join(folder, 'data')}/tableside.db`
    const first = await start(url)
    await signUp(first.browser(), 'Blue Door')
    await signUp(first.browser(), 'Red Door')
    const socket = join(folder, 'data', 'control.sock')
    expect((await stat(socket)).mode & 0o777).toBe(0o600)

    const running = await resetPassword(url, 'blue door')
    expect(running).toMatchObject({ code: 0, err: '' })
    expect(running.out).toMatch(
      /^Open this within 30 minutes to set a new password for the owner of Blue Door\. It works once\.\n\nhttp\S+\n\n$/u,
    )
    expect(linkIn(running)).toContain(first.server.url)
    await follow(running, first.browser(), 'silver-kettle-7')
    expect(await resetPassword(url, 'nobody@example.com')).toEqual({
      code: 1,
      out: '',
      err: `There is no restaurant and no owner's e-mail address "nobody@example.com"\n`,
    })
    expect(await resetPassword(url, 'owner@example.com')).toEqual({
      code: 1,
      out: '',
      err: 'Several restaurants belong to "owner@example.com". Please name one of them:\n  Blue Door\n  Red Door\n',
    })

    await first.server.kill()
    const stopped = await resetPassword(url, 'Blue Door')
    expect(stopped).toMatchObject({ code: 0, err: '' })
    const second = await start(url)
    onTestFinished(() => second.server.stop())
    await follow(stopped, second.browser(), 'pewter-bell-9')
    expect(await resetPassword(url, 'Blue Door')).toMatchObject({ code: 0 })
    expect(second.server.lines).toEqual([])
  })

  it('prints a link on the database of this run', async () => {
    const { url, drop } = await emptyDatabase()
    const { server, browser } = await start(url)
    onTestFinished(async () => {
      await server.stop()
      await drop()
    })
    await signUp(browser(), 'Blue Door')
    await follow(await resetPassword(url, 'owner@example.com'), browser(), 'silver-kettle-7')
  })

  it('says that the server must be stopped if the path is too long for a socket', async () => {
    const url = `file:${join(folder, 'x'.repeat(100))}/tableside.db`
    const { server, browser } = await start(url)
    await signUp(browser(), 'Blue Door')
    const said = await resetPassword(url, 'Blue Door')
    expect(said).toMatchObject({ code: 1, out: '' })
    expect(said.err).toMatch(
      /^Another Tableside is running .+\nIt does not answer here\. Please stop it, and run/u,
    )
    await server.stop()
    expect(await resetPassword(url, 'Blue Door')).toMatchObject({ code: 0, err: '' })
  })

  it('creates no database if there is none', async () => {
    const emptyFolder = join(folder, 'empty')
    await mkdir(emptyFolder)
    await chmod(emptyFolder, 0o755)
    const said = await resetPassword(`file:${emptyFolder}/tableside.db`, 'Blue Door')
    expect(said).toEqual({
      code: 1,
      out: '',
      err: `There is no database at ${emptyFolder}/tableside.db. Please run this where the server runs.\n`,
    })
    await expect(stat(`${emptyFolder}/tableside.db`)).rejects.toThrow('ENOENT')
  })
})
