import { createHash } from 'node:crypto'

export const cspReportsPath = '/api/csp-reports'

/** Allows a script or style that is in the page itself. */
export const hashSource = (inline: string): string =>
  `'sha256-${createHash('sha256').update(inline).digest('base64')}'`

/** By default a page may load only what comes from this server. */
export function contentSecurityPolicy(publicUrl: string, more: Record<string, string | null> = {}): string {
  const socket = publicUrl.replace(/^http/u, 'ws')
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'media-src': "'self'",
    'connect-src': `'self' ${socket}`,
    'worker-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
    // Text must not become markup or script. The only policy allowed is for the address of the service worker.
    'require-trusted-types-for': "'script'",
    'trusted-types': 'tableside',
    'report-uri': cspReportsPath,
    // Over plain http browsers send nothing to it, yet it switches `report-uri` off.
    ...(publicUrl.startsWith('https:') && { 'report-to': 'csp' }),
    ...more,
  }
  return Object.entries(directives)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
