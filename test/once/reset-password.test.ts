import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  followResetLink,
  resetLinkIn,
  resetPassword,
  signUpOwner,
  startForReset,
} from '../support/servers/reset-password.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-reset-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** SQLite has its own socket and lock. */
describe('tableside reset-password', () => {
  it('prints a link while the server runs, after it was killed, and while it is stopped', async () => {
    const url = `file:${join(folder, 'data')}/tableside.db`
    const first = await startForReset(url)
    await signUpOwner(first.browser(), 'Blue Door')
    await signUpOwner(first.browser(), 'Red Door')
    const socket = join(folder, 'data', 'control.sock')
    expect((await stat(socket)).mode & 0o777).toBe(0o600)

    const running = await resetPassword(url, 'blue door')
    expect(running).toMatchObject({ code: 0, err: '' })
    expect(running.out).toMatch(
      /^Open this within 30 minutes to set a new password for the owner of Blue Door\. It works once\.\n\nhttp\S+\n\n$/u,
    )
    expect(resetLinkIn(running)).toContain(first.server.url)
    await followResetLink(running, first.browser(), 'silver-kettle-7')
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
    const second = await startForReset(url)
    onTestFinished(() => second.server.stop())
    await followResetLink(stopped, second.browser(), 'pewter-bell-9')
    expect(await resetPassword(url, 'Blue Door')).toMatchObject({ code: 0 })
    expect(second.server.lines).toEqual([])
  })

  it('says that the server must be stopped if the path is too long for a socket', async () => {
    const url = `file:${join(folder, 'x'.repeat(100))}/tableside.db`
    const { server, browser } = await startForReset(url)
    await signUpOwner(browser(), 'Blue Door')
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
