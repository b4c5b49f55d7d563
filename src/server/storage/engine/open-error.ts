/** Before anything of ours has run on it. Names no more of the URL than where the data is: it may hold a password. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseNotOpened'
  constructor(what: string, cause: unknown) {
    super(`The database cannot be opened (${what}): ${describeCause(cause)}`, { cause })
  }
}

/** A host with several addresses fails once for each, under no words of its own. */
function describeCause(cause: unknown): string {
  const causes: unknown[] = cause instanceof AggregateError ? cause.errors : [cause]
  return causes.map((each) => (each instanceof Error ? each.message : String(each))).join(', ')
}
