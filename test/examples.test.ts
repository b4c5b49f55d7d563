import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { Tableside } from '../examples/client.ts'
import { receiptOf } from '../examples/receipt.ts'
import { setUpApp } from './support/app.ts'

// The terminal has the machine's clock.
const app = setUpApp({ clock: 'running' })

async function openTerminal(token: string, receipts: string) {
  const terminal: ChildProcess = spawn(process.execPath, ['examples/ticket-terminal.ts'], {
    env: { ...process.env, TABLESIDE_URL: app.url, TABLESIDE_TOKEN: token, RECEIPTS: receipts },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void terminal.kill())
  const shown: string[] = []
  if (terminal.stdout) createInterface({ input: terminal.stdout }).on('line', (line) => shown.push(line))
  const waitFor = async (line: string) => {
    await expect.poll(() => shown.at(-1)?.replace(/\d+ min/u, 'n min')).toBe(line)
  }
  return { terminal, waitFor }
}

async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['12', 'Patio'] })
  const body = { name: 'Kitchen display', scopes: ['requests:read' as const], days: 30 as const }
  const ask = async (tableNumber: string) =>
    (
      await app.browser().ok(api.requests.send, {
        body: { restaurantId: restaurant.name, tableNumber, serviceType: 'drinks' },
      })
    ).request
  return { ...restaurant, ask, ...(await restaurant.owner.ok(api.apiTokens.create, { body })) }
}

it('a terminal shows tickets and prints a receipt for each new one, also after a restart of the server', async () => {
  const { name, owner, ask, token, apiToken, device } = await openRestaurant()
  const receipts = await mkdtemp(join(tmpdir(), 'receipts-'))
  onTestFinished(() => rm(receipts, { recursive: true, force: true }))
  const { terminal, waitFor } = await openTerminal(token, receipts)
  await waitFor(`${name}: 0 open`)

  const request = await ask('12')
  await waitFor('  Table 12: Drinks, n min')
  const file = `${request.id}.escpos`
  await expect.poll(() => readdir(receipts)).toEqual([file])
  expect(await readFile(join(receipts, file))).toEqual(receiptOf(request, name))

  const crew = await device.connect()
  await crew.request({ type: 'accept-request', id: request.id })
  await waitFor('  Table 12: Drinks, n min, Crew is on the way')
  crew.close()
  // Asked before the terminal is connected again.
  await app.restart()
  const missed = await ask('Patio')
  await waitFor('  Table Patio: Drinks, n min')
  await expect.poll(() => readdir(receipts)).toContain(`${missed.id}.escpos`)

  const exited = once(terminal, 'exit')
  await owner.ok(api.apiTokens.remove, { params: { id: apiToken.id } })
  expect(await exited).toEqual([1, null])
})

it('a receipt is what the printer expects, and nothing in it changes the printer', async () => {
  const { ask } = await openRestaurant()
  const request = { ...(await ask('12')), tableNumber: '7\u001b@', note: 'Crème brûlée ☕' }
  const receipt = receiptOf(request, 'Blue Door')
  expect(receipt.subarray(0, 2)).toEqual(Buffer.from([0x1b, 0x40]))
  expect(receipt.subarray(-4)).toEqual(Buffer.from([0x1d, 0x56, 0x42, 0x03]))
  const text = receipt.toString('latin1')
  expect(text).toContain('Table 7 @\nDrinks\n')
  expect(text).toContain('Crème brûlée ?\n')
})

it('the client reads with the types of the contract, and says why it was refused', async () => {
  const { token } = await openRestaurant()
  const tableside = new Tableside(app.url, token)
  expect((await tableside.call(api.apiTokens.own, {})).scopes).toEqual(['requests:read'])
  await expect(tableside.call(api.floor.tables, {})).rejects.toThrow('forbidden: This token does not have')
})
