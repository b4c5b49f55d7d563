import { PoolerFound } from './storage/engine/errors.ts'

/** What to set so that the database can be opened, if that is known from why it cannot. */
export function adviseOnDatabase(error: Error): string | undefined {
  if (error instanceof PoolerFound)
    return 'Please set DATABASE_DIRECT_URL to the address of PostgreSQL itself; DATABASE_URL may lead to the pooler'
  if (isAboutTls(error.cause))
    return 'Please name the authority of its certificate in DATABASE_CA, and the host that it is for in DATABASE_URL, or say DATABASE_TLS=off'
  return undefined
}

/** What Node calls its reasons to refuse a certificate or a handshake. */
const tlsCodes = /CERT|SSL|TLS|VERIFY|^(?:EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/u
/** What pg says where PostgreSQL does not speak TLS. */
const withoutTls = /^(?:The server does not support|There was an error establishing an) SSL connection/u

/** By its code, because messages also name paths, hosts and users. */
function isAboutTls(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isAboutTls)
  if (!(cause instanceof Error)) return false
  return ('code' in cause && tlsCodes.test(String(cause.code))) || withoutTls.test(cause.message)
}
