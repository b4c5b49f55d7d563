import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await recoveryCodes(db)
  await passwordResets(db)
  await ownerNotices(db)
}

/** A used code is deleted. */
async function recoveryCodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recovery_code')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('subject_kind', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_code_pk', ['restaurant_id', 'subject_kind', 'subject_id', 'code_hash'])
    .execute()
}

async function passwordResets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('password_reset')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owner.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('password_reset_pk', ['restaurant_id', 'owner_id'])
    .execute()
}

async function ownerNotices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('owner_notice')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('about', 'text')
    .addPrimaryKeyConstraint('owner_notice_pk', ['restaurant_id', 'id'])
    .execute()
  // Replaces restaurant.device_set_up_at.
  await sql`insert into owner_notice (restaurant_id, id, at, kind, about)
    select id, 'device-set-up', device_set_up_at, 'manager-set-up-by-device', null
    from restaurant where device_set_up_at is not null`.execute(db)
}
