import type { IncomingHttpHeaders } from 'node:http'

/** Only what looks like one of ours: a proxy may send bearer tokens of its own. */
const pattern = /^Bearer +(tableside_[\w-]{32})$/iu

/** The API token that a request carries. It may stand nowhere but in the header: addresses are logged. */
export const apiTokenIn = ({ authorization = '' }: IncomingHttpHeaders): string | null =>
  pattern.exec(authorization)?.[1] ?? null
