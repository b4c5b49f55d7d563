import type { ServerMessage } from '#contract/live.ts'
import type { Address, Browser, Channel } from './wire.ts'

/** Whoever has a live channel, which may be cut or freeze. */
export class Device {
  readonly browser: Browser
  isFrozen = false
  /** It has heard everything since it connected. */
  isWhole = false
  #channel: Channel | null = null
  #stopHearing = (): void => {}

  constructor(browser: Browser) {
    this.browser = browser
  }

  isOn(node: Address | null): boolean {
    return this.isConnected && this.browser.connectedTo === node
  }

  get isConnected(): boolean {
    return this.#channel !== null
  }

  /** Null while it is not connected. */
  protected get channel(): Channel | null {
    return this.#channel
  }

  protected async open(onMessage: (message: ServerMessage) => void): Promise<Channel> {
    let isOver = false
    // What had arrived while it was frozen is read only after it was cut.
    const hear = (message: ServerMessage) => void (isOver || onMessage(message))
    const channel = await this.browser.connect(hear, () => this.#left(channel))
    this.#channel = channel
    this.#stopHearing = () => (isOver = true)
    return channel
  }

  #left(channel: Channel): void {
    if (this.#channel !== channel) return
    this.#stopHearing()
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
