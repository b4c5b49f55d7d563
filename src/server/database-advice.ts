import { PoolerFound } from './storage/engine/errors.ts'

/** What to set so that the database can be opened, if that is known from why it cannot. */
export function adviseOnDatabase(error: Error): string | undefined {
  if (error instanceof PoolerFound)
    return 'Please set DATABASE_DIRECT_URL to the address of PostgreSQL itself; DATABASE_URL may lead to the pooler'
  if (/certificate|altnames|SSL/iu.test(error.message))
    return 'Please name the authority of its certificate in DATABASE_CA, and the host that it is for in DATABASE_URL, or say DATABASE_TLS=off'
  return undefined
}
