import { Agent, get, request } from 'node:http'

/** One connection per concurrent call, kept open as browsers do. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1000 })

type Call = {
  method: string
  headers: Record<string, string>
  body: string | undefined
  agent: Agent
  /** A browser sends a call again if the server closed the idle connection at that moment. */
  isRepeated?: boolean
}

type Answer = { status: number; headers: NodeJS.Dict<string[]>; text: string }

/** A call and its whole answer, by the cheapest client in Node: it shares the processor with the server. */
export function send(url: URL, call: Call): Promise<Answer> {
  const { method, body, agent, isRepeated = false } = call
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...call.headers, ...length }, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headersDistinct,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.once('error', (error) => {
      if (isRepeated && sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
        resolve(send(url, call))
      else reject(error)
    })
    sent.end(body)
  })
}

type Reply = { status: number; cookies: string[]; body: string }

export async function post(url: URL, headers: Record<string, string>, body: unknown): Promise<Reply> {
  const answer = await send(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    agent,
    isRepeated: true,
  })
  return {
    status: answer.status,
    cookies: (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? ''),
    body: answer.text,
  }
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
