import type { TableButton } from '#contract/requests/buttons.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { countRows } from '../rows.ts'
import type { Schema } from '../schema.ts'
import { ownNeedIdOf, serviceTypeOf } from './asked-need.ts'

export type TableButtonRow = Schema['tableButton']

type ButtonColumns = Pick<TableButtonRow, 'id' | 'tableId' | 'serviceType' | 'createdAt' | 'pressedAt'>

const selectButtons = (db: Db, restaurantId: string) =>
  db
    .selectFrom('tableButton')
    .select(['id', 'tableId', 'serviceType', 'createdAt', 'pressedAt'])
    .where('restaurantId', '=', restaurantId)

/** Oldest first. */
export async function list(db: Db, restaurantId: string): Promise<TableButton[]> {
  const rows = await selectButtons(db, restaurantId).orderBy('createdAt').orderBy('id').execute()
  return rows.map(toButton)
}

export function toButton({ serviceType, ...button }: ButtonColumns): TableButton {
  const need = ownNeedIdOf(serviceType)
  return { ...button, serviceType: serviceTypeOf(serviceType), ...(need !== undefined && { need }) }
}

export const count = (db: Db, restaurantId: string): Promise<number> =>
  countRows(selectButtons(db, restaurantId))

export const find = (db: Db, restaurantId: string, id: string): Promise<ButtonColumns | undefined> =>
  selectButtons(db, restaurantId).where('id', '=', id).executeTakeFirst()

export async function insert(db: Db, row: TableButtonRow): Promise<void> {
  await db.insertInto('tableButton').values(row).execute()
}

export async function remove(db: Db, restaurantId: string, id: string): Promise<void> {
  await db
    .deleteFrom('tableButton')
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}

/** With the digests of their tokens. */
export const listRowsAt = (db: Db, restaurantId: string, tableId: string): Promise<TableButtonRow[]> =>
  db
    .selectFrom('tableButton')
    .selectAll()
    .where((e) => e.and({ restaurantId, tableId }))
    .execute()

/** In any restaurant: a press names none. */
export const findByToken = (db: Db, tokenHash: string): Promise<TableButtonRow | undefined> =>
  db.selectFrom('tableButton').selectAll().where('tokenHash', '=', tokenHash).executeTakeFirst()

/** False once it was revoked. Revoking waits until the press is stored. */
export async function markPressed(
  db: Db,
  { restaurantId, id }: Pick<TableButtonRow, 'restaurantId' | 'id'>,
  pressedAt: number,
): Promise<boolean> {
  const rows = await db.run(markButtonPressed, { restaurantId, id, pressedAt })
  return rows.length > 0
}

const markButtonPressed = defineStatement<
  { restaurantId: string; id: string; pressedAt: number },
  Pick<TableButtonRow, 'restaurantId' | 'id'>
>({
  name: 'mark-button-pressed',
  input: { restaurantId: 'text', id: 'text', pressedAt: 'bigint' },
  match: ['restaurantId', 'id'],
  query: (db) =>
    db
      .updateTable('tableButton')
      .from('input')
      .set((e) => ({ pressedAt: e.ref('input.pressedAt') }))
      .where(isOnly('tableButton.restaurantId', 'input.restaurantId'))
      .whereRef('tableButton.id', '=', 'input.id')
      .returning(['tableButton.restaurantId', 'tableButton.id']),
})
