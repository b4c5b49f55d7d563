import { startProxy } from '../buses.ts'

/** What a server asks PostgreSQL for. */
export type PostgresCounts = {
  /** Statements that were carried out, BEGIN and COMMIT included. */
  statements: number
  /** How often the server sent something after PostgreSQL had answered: each time somebody waits for both ways. */
  roundTrips: number
  commits: number
  /** Statements of the bus, for which no guest waits. */
  signals: number
}

const commandComplete = 'C'.charCodeAt(0)
/** The type of a message and its length, which includes the four bytes of the length itself. */
const headerBytes = 5

/** A proxy in front of PostgreSQL that counts what passes through it. */
export async function startPostgresCounter(url: string) {
  const counts: PostgresCounts = { statements: 0, roundTrips: 0, commits: 0, signals: 0 }
  const proxy = await startProxy(url, (near, far) => {
    let isBus: boolean | undefined
    let isAnswered = true
    let unread = Buffer.alloc(0)
    near.on('data', (chunk: Buffer) => {
      // The first message names the program.
      isBus ??= chunk.includes('tableside-bus-')
      if (isAnswered && !isBus) counts.roundTrips++
      isAnswered = false
    })
    far.on('data', (chunk: Buffer) => {
      isAnswered = true
      unread = Buffer.concat([unread, chunk])
      while (unread.length >= headerBytes) {
        const end = 1 + unread.readUInt32BE(1)
        if (unread.length < end) return
        if (unread[0] === commandComplete) countStatement(unread.toString('latin1', headerBytes, end - 1))
        unread = unread.subarray(end)
      }
    })
    function countStatement(tag: string): void {
      if (isBus) counts.signals++
      else counts.statements++
      if (tag === 'COMMIT') counts.commits++
    }
  })
  return { url: proxy.url, counts: (): PostgresCounts => ({ ...counts }), stop: () => proxy.remove() }
}
