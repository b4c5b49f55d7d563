import type { HttpServer } from '../server.ts'

/** The page that the build wrote, with its documents beside it: they are files of the staff app. */
export function mountDevelopers(server: HttpServer): void {
  server.get('/developers', async (_request, reply) => reply.sendFile('developers/index.html'))
}
