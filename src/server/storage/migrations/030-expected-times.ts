import type { Kysely } from 'kysely'

/** Whether guests read how long it usually takes, and what each of them was told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('restaurant')
    .addColumn('expected_times', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  const requests = db.schema.alterTable('service_request')
  await requests.addColumn('expected_from_ms', 'integer').execute()
  await requests.addColumn('expected_until_ms', 'integer').execute()
}
