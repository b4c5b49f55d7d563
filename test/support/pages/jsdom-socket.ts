import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { AlarmSet } from '#contract/accounts/restaurants.ts'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'

/**
 * Replaces jsdom's WebSocket, whose events Node does not accept as events, with another real one. At the address of
 * jsdom's own page, where one that an earlier test left behind looks for its server, it finds none.
 */
export function stubBrowserWebSocket(headers: () => Record<string, string> = () => ({})): void {
  vi.stubGlobal('WebSocket', function open(url: string) {
    return new URL(url).host === location.host ? new UnreachableSocket() : openSocket(url, headers())
  })
}

function openSocket(url: string, headers: Record<string, string>): WebSocket {
  return new WebSocket(url, { headers }).on('error', () => {})
}

/** For one test: sockets that open and receive only what the test dispatches, and what is sent on them. */
export function stubHeldSockets(): { sockets: EventTarget[]; sent: ClientMessageInput[] } {
  const sockets: EventTarget[] = []
  const sent: ClientMessageInput[] = []
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      constructor() {
        super()
        sockets.push(this)
      }
      send(text: string): void {
        sent.push(JSON.parse(text))
      }
      close(): void {}
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  return { sockets, sent }
}

/** The live channel of a server that cannot be reached. */
export class UnreachableSocket extends EventTarget {
  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new CloseEvent('close', { code: 1006 })))
  }

  close(): void {}
}

/** The live channel of a server on which nothing ever happens. */
export class QuietSocket extends EventTarget {
  static current: QuietSocket | undefined
  /** What the owner chose. */
  static alarmSet: AlarmSet = 'bells'
  /** The page has been sent the empty list of requests. */
  hasList = false

  constructor() {
    super()
    QuietSocket.current = this
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  send(text: string): void {
    const message: ClientMessageInput = JSON.parse(text)
    const messages = message.type === 'resume' ? message.messages : [message]
    const answers = messages.map((single) => {
      const isRestaurant = single.type === 'set-restaurant-context'
      const answer = {
        type: 'ack',
        ref: single.ref,
        ...(isRestaurant && { alarmSet: QuietSocket.alarmSet }),
      } as const
      if ('since' in single && single.since !== undefined) return { ...answer, unchanged: true } as const
      if (single.type === 'get-pending-requests') {
        this.hasList = true
        this.receive({ type: 'pending-requests', seq: 0, requests: [], recent: [] })
      }
      return answer
    })
    this.receive(
      message.type === 'resume'
        ? { type: 'ack', ref: message.ref, answers }
        : (answers[0] ?? { type: 'ack', ref: message.ref }),
    )
  }

  /** Loses the connection. */
  lose(): void {
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  }

  close(): void {}

  receive(message: ServerMessage): void {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) })))
  }
}
