import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** jsdom's own WebSocket fires events that Node does not take for events; this one is a real one too. */
export function useRealSockets(headers: () => Record<string, string> = () => ({})): void {
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
