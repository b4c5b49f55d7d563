import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { Tableside } from './client.ts'
import { labelOf, receiptOf } from './receipt.ts'

/**
 * Shows the open requests in a terminal and, with RECEIPTS, puts a receipt for each new one into a printer's queue:
 *   TABLESIDE_URL=https://… TABLESIDE_TOKEN=tableside_… RECEIPTS=/var/spool/tickets node examples/ticket-terminal.ts
 * The token needs the scope requests:read.
 */
const { TABLESIDE_URL = 'http://localhost:3000', TABLESIDE_TOKEN = '', RECEIPTS } = process.env

const tableside = new Tableside(TABLESIDE_URL, TABLESIDE_TOKEN)
const { restaurantName } = await tableside.call(api.apiTokens.own, {})

tableside.follow({
  onChange(open, change, request) {
    show(open)
    if (change === 'asked' && request) void print(request)
  },
  onLost(canReconnect) {
    if (canReconnect) return console.log('Connecting again…')
    console.error('The token was revoked, or has expired.')
    process.exit(1)
  },
})

function show(open: ServiceRequest[]): void {
  if (process.stdout.isTTY) console.clear()
  console.log(`${restaurantName}: ${open.length} open`)
  for (const request of open) {
    const minutes = Math.max(0, Math.floor((Date.now() - request.timestamp) / 60_000))
    const state = request.acceptedBy === null ? '' : `, ${request.acceptedBy.name} is on the way`
    console.log(`  Table ${request.tableNumber}: ${labelOf(request)}, ${minutes} min${state}`)
  }
}

/** Under its final name only once it is whole. */
async function print(request: ServiceRequest): Promise<void> {
  if (RECEIPTS === undefined) return
  const file = join(RECEIPTS, `${request.id}.escpos`)
  await writeFile(`${file}.part`, receiptOf(request, restaurantName))
  await rename(`${file}.part`, file)
}
