import { Agent, get, request } from 'node:http'

/** One connection per concurrent call, kept open as browsers do. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1000 })

type Reply = { status: number; cookies: string[]; body: string }

/** The cheapest client in Node: it shares the processor with the server that is measured. */
export function post(url: URL, headers: Record<string, string>, body: unknown): Promise<Reply> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        agent,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            cookies: (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? ''),
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    call.on('error', (error) => {
      // The server closed the idle connection just now; a browser sends such a call again too.
      if (call.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
        resolve(post(url, headers, body))
      else reject(error)
    })
    call.end(text)
  })
}

/**
 * Opens connections before anything is measured: Node accepts one per turn of the event loop, so under full load the
 * last of many would wait for seconds.
 */
export async function openConnections(url: URL, count: number): Promise<void> {
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve, reject) => {
          get(url, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject)
        }),
    ),
  )
}
