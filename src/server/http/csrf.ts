import type { IncomingHttpHeaders } from 'node:http'
import { apiTokenIn } from './api-token.ts'

type RequestHead = { method: string; headers: IncomingHttpHeaders; isUpgrade?: boolean }

/** Why a request may come from another site's page; null if it does not. */
export function findCsrfProblem(
  origins: readonly string[],
  { method, headers, isUpgrade = false }: RequestHead,
): string | null {
  if (!isUpgrade && ['GET', 'HEAD', 'OPTIONS'].includes(method)) return null
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return 'Cross-site request refused'
  // A plain form of the guest page, which sends no referrer, has the origin "null".
  if (headers.origin === 'null' && site !== undefined && !isUpgrade) return null
  if (headers.origin !== undefined)
    return origins.includes(headers.origin) ? null : 'Cross-site request refused'
  // No page can open a socket with this header.
  const isSoftware = apiTokenIn(headers) !== null
  return (isUpgrade && !isSoftware) || headers.cookie !== undefined ? 'The Origin header is missing' : null
}
