import { type DestinationStream, type Logger, pino } from 'pino'

/** Values under these keys never reach a log, at any depth. */
const secretKeyPattern =
  /^(k|pin|digits|endpoint|p256dh|auth)$|password|secret|token|cookie|authorization|stripe-signature|qrcodedataurl|messagetext/i

const maxDepth = 8

/** Writes one JSON line per entry. Fastify uses the same logger as its `loggerInstance`. */
export function createLogger(destination: DestinationStream = process.stdout, level = 'info'): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (entry) => redactFields(entry, 0) },
      serializers: { req: serializeRequest, res: serializeResponse, err: (value: unknown) => value },
    },
    destination,
  )
}

/** What Fastify passes under these keys is for its serializers, not a plain value. */
const fastifyKeys = new Set(['req', 'res'])

function redactFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (secretKeyPattern.test(key) && value !== null && value !== undefined) return [key, '[redacted]']
      return [key, depth === 0 && fastifyKeys.has(key) ? value : redact(value, depth + 1)]
    }),
  )
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '…'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Map) return redactFields(Object.fromEntries(value), depth)
  if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => redact(item, depth + 1))
  return isPlainObject(value) ? redactFields(value, depth) : `[${value.constructor.name}]`
}

/** Leaves out all other properties: database and validation errors quote what people typed. */
function redactError(error: Error, depth: number): object {
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...('code' in error && { code: redact(error.code, depth + 1) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: redact(error.errors, depth) }),
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Leaves out the client's address, and the query, which may carry the key of a printed code. */
const serializeRequest = ({ method, url }: { method?: string; url?: string }) => ({
  method,
  path: url?.split('?', 1)[0],
})

const serializeResponse = ({ statusCode }: { statusCode?: number }) => ({ statusCode })
