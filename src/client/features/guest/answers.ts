import type { ErrorCode, RefusalBody } from '#contract/errors.ts'

/** What the server's answers are checked for. The contract's schemas would make the page half as large again. */

export function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value
}

/** Null if somebody else answered, such as a captive portal. */
export function refusalIn(body: unknown): RefusalBody | null {
  if (!hasKey(body, 'code') || !hasKey(body, 'message') || !isErrorCode(body.code)) return null
  const params = hasKey(body, 'params') && isParams(body.params) ? body.params : {}
  return { code: body.code, message: String(body.message), params }
}

/** One that this page does not know is shown by its message. */
const isErrorCode = (value: unknown): value is ErrorCode => typeof value === 'string'

const isParams = (value: unknown): value is NonNullable<RefusalBody['params']> =>
  typeof value === 'object' && value !== null
