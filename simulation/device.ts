import type { ServerMessage } from '#contract/live.ts'
import type { Browser, Channel } from './wire.ts'

/** Whoever has a live channel, which may be cut or freeze. */
export class Device {
  readonly browser: Browser
  isFrozen = false
  /** It has heard everything since it connected. */
  isWhole = false
  #channel: Channel | null = null

  constructor(browser: Browser) {
    this.browser = browser
  }

  get isConnected(): boolean {
    return this.#channel !== null
  }

  /** Null while it is not connected. */
  protected get channel(): Channel | null {
    return this.#channel
  }

  protected async open(onMessage: (message: ServerMessage) => void): Promise<Channel> {
    const channel = await this.browser.connect(onMessage, () => this.#left(channel))
    this.#channel = channel
    return channel
  }

  #left(channel: Channel): void {
    if (this.#channel !== channel) return
    this.#channel = null
    this.isWhole = false
    this.isFrozen = false
  }

  cut(): void {
    const channel = this.#channel
    if (!channel) return
    this.#left(channel)
    channel.cut()
  }

  freeze(): void {
    if (!this.#channel) return
    this.isFrozen = true
    this.#channel.freeze()
  }

  thaw(): void {
    this.isFrozen = false
    this.#channel?.thaw()
  }
}
