import { Agent } from 'node:http'
import { send } from '../../bench/load/http-client.ts'

/** The connections of all browsers. */
const agent = new Agent({ keepAlive: true })

export type Exchange = { status: number; headers: Headers; text: string }

type Call = { method: string; headers: Record<string, string>; body: string | undefined }

/** A call over HTTP, and its whole answer. It fails as `fetch` does, which needs twice the processor time. */
export async function exchange(url: string, call: Call): Promise<Exchange> {
  try {
    const { status, headers, text } = await send(new URL(url), { ...call, agent })
    return { status, headers: new Headers(pairsOf(headers)), text }
  } catch (cause) {
    throw new TypeError('fetch failed', { cause })
  }
}

const pairsOf = (headers: NodeJS.Dict<string[]>): [string, string][] =>
  Object.entries(headers).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
