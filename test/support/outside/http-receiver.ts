import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { portOf } from '../ports.ts'

type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** The status of an answer and its headers; `never` leaves the caller waiting, a promise until it resolves. */
type Answer = number | 'never' | { status: number; headers: Record<string, string> } | 'endless'

/** A web server on loopback that remembers what is posted to it. */
export async function startHttpReceiver() {
  const received: Received[] = []
  const state: { answer: Answer | Promise<Answer>; attempts: number; connections: number } = {
    answer: 200,
    attempts: 0,
    connections: 0,
  }
  const server: Server = createServer((request, response) => {
    state.attempts++
    void text(request).then(async (body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      const answer = await state.answer
      if (answer === 'never') return
      if (answer === 'endless') {
        response.writeHead(200).write('x'.repeat(1_000_000))
        return
      }
      if (typeof answer === 'number') response.writeHead(answer).end()
      else response.writeHead(answer.status, answer.headers).end()
    })
  })
  server.on('connection', (socket) => {
    state.connections++
    socket.once('close', () => state.connections--)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  return Object.assign(state, {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

export type HttpReceiver = Awaited<ReturnType<typeof startHttpReceiver>>
