import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** jsdom's own WebSocket fires events that Node does not take for events; this one is a real one too. */
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
