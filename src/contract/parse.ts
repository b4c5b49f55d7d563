import * as v from 'valibot'

type ParseResult<T> = { ok: true; value: T } | { ok: false; message: string; field: string | undefined }

/** Validates untrusted input: returns the schema's output, or a message about the first problem. */
export function parse<S extends v.GenericSchema>(schema: S, input: unknown): ParseResult<v.InferOutput<S>> {
  const result = v.safeParse(schema, input, { abortPipeEarly: true, message: () => '' })
  if (result.success) return { ok: true, value: result.output }
  const [issue] = result.issues
  const [at, ...deeper] = issue.path ?? []
  const field = typeof at?.key === 'string' ? at.key : undefined
  // A missing field gets the same message as an empty one.
  if (field !== undefined && deeper.length === 0 && lacksField(field, input)) {
    return parse(schema, { ...input, [field]: undefined })
  }
  return {
    ok: false,
    message: issue.message || `Please check ${v.getDotPath(issue) ?? 'the request'}`,
    field,
  }
}

const lacksField = (field: string, input: unknown): input is object =>
  typeof input === 'object' && input !== null && !Object.hasOwn(input, field)
