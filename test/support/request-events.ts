import type { TestApp } from './app.ts'

/** What happened to a request and who did it, in order: `accepted by Maya Chen`, `asked by guest`. */
export async function eventsOf(app: TestApp, requestId: string): Promise<string[]> {
  const rows = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select(['kind', 'actorKind', 'actorName'])
    .where('requestId', '=', requestId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(({ kind, actorKind, actorName }) => `${kind} by ${actorName ?? actorKind}`)
}
