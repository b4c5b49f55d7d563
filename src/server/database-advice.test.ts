import { expect, it } from 'vitest'
import { adviseOnDatabase } from './database-advice.ts'
import { DatabaseOpenError } from './storage/engine/errors.ts'

const adviceOn = (what: string, cause: Error): string | undefined =>
  adviseOnDatabase(new DatabaseOpenError(what, cause))

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

it.for([
  ['/srv/ssl/tableside.db', failure('ERR_SQLITE_ERROR', 'unable to open database file')],
  ['/srv/certificates/x.db', failure('EEXIST', "EEXIST: file already exists, mkdir '/srv/certificates'")],
  ['PostgreSQL', failure('ENOTFOUND', 'getaddrinfo ENOTFOUND ssl.example.com')],
  ['PostgreSQL', failure('28P01', 'password authentication failed for user "ssl"')],
] as const)('gives no advice on TLS where only a name sounds like it (%s): %s', ([what, cause]) => {
  expect(adviceOn(what, cause)).toBeUndefined()
})

it.for([
  failure('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
  failure('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'),
  failure(
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames: IP: 127.0.0.2 is not in the cert's list",
  ),
  failure('INVALID_CA', 'invalid CA certificate'),
  failure('EPROTO', 'write EPROTO 40E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number'),
  new Error('The server does not support SSL connections'),
  new AggregateError([
    failure('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432'),
    failure('CERT_HAS_EXPIRED', 'certificate has expired'),
  ]),
])('advises on TLS where it is the reason: %s', (cause) => {
  expect(adviceOn('PostgreSQL', cause)).toContain('DATABASE_CA')
})
