import type { ClientMessageInput } from '#contract/live.ts'
import type { TestApp, TestSocket } from './app.ts'

/** More than a socket may send at once. */
const mostOfSocket = 18
const maxSockets = 60

async function isRefused(socket: TestSocket, message: ClientMessageInput): Promise<boolean> {
  const answer = await socket.request(message)
  return answer.type === 'error' && answer.code === 'rate_limited'
}

/** Guests without a code use up what their address may send: with what costs most first, down to the last token. */
export async function floodAddress(app: TestApp): Promise<void> {
  for (const message of [{ type: 'get-pending-requests' }, { type: 'accept-request', id: 'x' }] as const)
    await exhaustLimit(app, message)
}

async function exhaustLimit(app: TestApp, message: ClientMessageInput): Promise<void> {
  for (let sockets = 0; sockets < maxSockets; sockets++) {
    const socket = await app.browser().connect()
    let sent = 0
    while (sent < mostOfSocket && !(await isRefused(socket, message))) sent++
    socket.close()
    // A socket that is new is refused for what others have sent.
    if (sent === 0) return
  }
  throw new Error(`${maxSockets} sockets have not used up what their address may send`)
}
