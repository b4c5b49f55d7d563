import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openDatabase } from '../../storage/engine/database.ts'
import { exportedTables } from './exported-tables.ts'

const toDatabaseName = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** What each exported table holds besides, by table. Its restaurant is that of the whole export. */
async function listLeftOut(): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-export-'))
  const path = join(folder, 'tableside.db')
  await (await openDatabase(`file:${path}`)).close()
  const file = new DatabaseSync(path, { readOnly: true })
  const columnsOf = (table: string) =>
    file
      .prepare('select name from pragma_table_info(?)')
      .all(toDatabaseName(table))
      .map(({ name }) => String(name))
  const leftOut = Object.entries(exportedTables).map(([table, { columns }]) => {
    const exported = new Set(['restaurant_id', ...columns.map(toDatabaseName)])
    return [table, columnsOf(table).filter((name) => !exported.has(name))] as const
  })
  file.close()
  await rm(folder, { recursive: true })
  return Object.fromEntries(leftOut.filter(([, columns]) => columns.length > 0))
}

/** What gives access, what only the server works with, such as keys and times of its own, and what guests wrote to the crew. */
const leftOut = {
  restaurant: [
    'code_key',
    'managed_since',
    'device_set_up_at',
    'staff_password_hash',
    'staff_password_set_at',
  ],
  retention: ['undo', 'run_at', 'leased_until'],
  owner: ['email_key', 'password_hash', 'oidc_issuer', 'oidc_subject'],
  manager: ['username_key', 'password_hash'],
  crewMember: ['name_key', 'pin_hash', 'username_key', 'password_hash'],
  section: ['name_key'],
  floorTable: ['number_key'],
  serviceRequest: [
    'table_key',
    'crew',
    'next_level_at',
    'accept_until',
    'pushed_level',
    'called',
    'note',
    'note_at',
  ],
  roleCall: ['next_alert_at'],
  teamMessage: ['push_due_at'],
  managerNote: ['table_key', 'guest_id', 'push_due_at'],
  mutedTable: ['table_key'],
  tableSeating: ['before_seated_at', 'before_closed_at', 'wanted_at'],
  partyMove: ['from_key', 'to_key', 'requests'],
  outsideChannel: [
    'secret',
    'code_proof',
    'code_expires_at',
    'code_tries',
    'next_at',
    'leased_until',
    'failing',
    'failures',
    'last_problem',
    'looked_until',
  ],
  outsideEvent: ['last_at', 'last_problem'],
  deletedItem: ['content'],
  apiToken: ['token_hash'],
  tableButton: ['token_hash'],
  subscription: ['subscription_id', 'price_id', 'setup_intent_id'],
}

it('an export leaves out of its tables only what is named here, so no new column is forgotten', async () => {
  const found = await listLeftOut()
  const sorted = (columns: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(columns).map(([table, names]) => [table, names.toSorted()]))
  expect(sorted(found)).toEqual(sorted(leftOut))
})
