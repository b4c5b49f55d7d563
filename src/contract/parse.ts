import * as v from 'valibot'

export type Parsed<T> = { ok: true; value: T } | { ok: false; message: string; field: string | undefined }

/** Hostile until parsed: either the value as the schema makes it, or the first thing wrong with it, in words. */
export function parse<S extends v.GenericSchema>(schema: S, input: unknown): Parsed<v.InferOutput<S>> {
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  if (result.success) return { ok: true, value: result.output }
  const [issue] = result.issues
  const key = issue.path?.[0]?.key
  return { ok: false, message: issue.message, field: typeof key === 'string' ? key : undefined }
}
