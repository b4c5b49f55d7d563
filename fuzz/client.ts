import type { ServerMessage } from '#contract/live.ts'
import { Browser, type Channel } from '../simulation/wire.ts'

/** A browser, or other software with a token, and its live channel. */
export class Client extends Browser {
  #channel: Channel | null = null
  #received: ServerMessage[] = []

  /** All that came until the message had been dealt with; null if the server no longer knows who sends it. */
  async tell(text: string): Promise<ServerMessage[] | null> {
    this.#channel ??= await this.#open()
    if (!this.#channel) return null
    this.#channel.send(text)
    // Messages are dealt with in their order. Its answer never comes where the server has closed the channel.
    await this.#channel.request({ type: 'ping' })
    return this.#received.splice(0)
  }

  async #open(): Promise<Channel | null> {
    try {
      return await this.connect(
        (message) => void this.#received.push(message),
        () => (this.#channel = null),
      )
    } catch (error) {
      if (error instanceof Error && error.message === 'Unexpected server response: 401') return null
      throw error
    }
  }

  close(): void {
    this.#channel?.cut()
  }
}
