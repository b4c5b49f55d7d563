import type { CallInput, Reply, Route } from '#contract/api.ts'
import type { ErrorBody } from '#contract/errors.ts'
import { closeCodes, type ClientMessageInput, type ServerMessage } from '#contract/live.ts'
import { compareByAge, type ServiceRequest } from '#contract/requests/requests.ts'

/** Node's own, which may send headers. */
const HeaderSocket = WebSocket as unknown as new (
  url: string,
  options: { headers: Record<string, string> },
) => WebSocket

const reconnectAfterMs = 1_000

export type Change = 'listed' | 'asked' | 'changed' | 'closed'
type Follower = {
  /** Whenever the open requests have changed, oldest first; `request` is the one that has. */
  onChange: (open: ServiceRequest[], change: Change, request?: ServiceRequest) => void
  /** It connects again by itself, unless the token is no longer valid. */
  onLost?: (canReconnect: boolean) => void
}

/** Talks to a Tableside server with an API token; calls and answers have the types of the contract. */
export class Tableside {
  readonly #server: string
  readonly #headers: { authorization: string }

  constructor(server: string, token: string) {
    this.#server = server
    this.#headers = { authorization: `Bearer ${token}` }
  }

  async call<R extends Route>(route: R, input: CallInput<R>): Promise<Reply<R>> {
    const {
      params = {},
      query = {},
      body,
    } = input as {
      params?: Record<string, string>
      query?: Record<string, string>
      body?: unknown
    }
    const path = route.path.replaceAll(/:(\w+)/gu, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const search = new URLSearchParams(query).toString()
    const answer = await fetch(`${this.#server}${path}${search && `?${search}`}`, {
      method: route.method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) {
      const { code, message } = (await answer.json()) as ErrorBody
      throw new Error(`${code}: ${message}`)
    }
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false
    return (isJson ? await answer.json() : await answer.text()) as Reply<R>
  }

  /** Follows the open requests until the returned function is called. */
  follow({ onChange, onLost }: Follower): () => void {
    const open = new Map<string, ServiceRequest>()
    let socket: WebSocket
    let timer: NodeJS.Timeout | undefined
    let lastSeq = 0
    let hasList = false
    let stopped = false
    const changed = (change: Change, request?: ServiceRequest): void =>
      onChange([...open.values()].toSorted(compareByAge), change, request)

    const send = (message: ClientMessageInput): void => socket.send(JSON.stringify(message))
    const askForAll = (): void => send({ type: 'get-pending-requests' })

    const receive = (message: ServerMessage): void => {
      if (message.type === 'pending-requests') {
        // Nothing that was asked while the connection was lost is overlooked.
        const missed = hasList ? message.requests.filter(({ id }) => !open.has(id)) : []
        open.clear()
        for (const request of message.requests) open.set(request.id, request)
        lastSeq = message.seq ?? 0
        hasList = true
        changed('listed')
        for (const request of missed) changed('asked', request)
        return
      }
      if (message.seq !== undefined) {
        // A number is missing: something was lost on the way.
        if (message.seq > lastSeq + 1) return askForAll()
        lastSeq = message.seq
      }
      if (message.type === 'new-request' || message.type === 'request-updated') {
        const isNew = !open.has(message.request.id)
        open.set(message.request.id, message.request)
        changed(isNew ? 'asked' : 'changed', message.request)
      }
      if (message.type === 'request-completed') {
        const request = open.get(message.id)
        if (open.delete(message.id)) changed('closed', request)
      }
    }

    const connect = (): void => {
      socket = new HeaderSocket(`${this.#server.replace('http', 'ws')}/ws`, { headers: this.#headers })
      socket.addEventListener('open', askForAll)
      socket.addEventListener('message', ({ data }) => receive(JSON.parse(String(data))))
      socket.addEventListener('close', ({ code }) => {
        if (stopped) return
        const canReconnect = code !== closeCodes.signedOut
        onLost?.(canReconnect)
        if (canReconnect) timer = setTimeout(connect, reconnectAfterMs)
      })
    }
    connect()
    return () => {
      stopped = true
      clearTimeout(timer)
      socket.close()
    }
  }
}
