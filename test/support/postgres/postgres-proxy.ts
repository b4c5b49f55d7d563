import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Stands between a server and PostgreSQL. */
export type PostgresProxy = {
  url: string
  /** The next COMMIT reaches PostgreSQL, but its answer does not come back: the connection breaks. */
  loseNextCommit: () => void
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isArmed = false

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isLosing = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.end()
      })
    }
    client.on('data', (chunk) => {
      if (isArmed && chunk.includes('commit\0')) {
        isLosing = true
        isArmed = false
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!isLosing) client.write(chunk)
      else if (chunk.includes('COMMIT\0')) client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    loseNextCommit: () => {
      isArmed = true
    },
  }
}
