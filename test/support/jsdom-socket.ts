import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** Replaces jsdom's WebSocket, whose events Node does not accept as events, with another real one. */
export function stubBrowserWebSocket(headers: () => Record<string, string> = () => ({})): void {
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(url: string) {
        super(url, { headers: headers() })
        this.on('error', () => {})
      }
    },
  )
}

/** The live channel of a server that cannot be reached. */
export class UnreachableSocket extends EventTarget {
  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new CloseEvent('close', { code: 1006 })))
  }

  close(): void {}
}
