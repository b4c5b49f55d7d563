import { type ErrorBody } from '#contract/errors.ts'
import { ClientMessage, closeCodes } from '#contract/live.ts'
import * as contract from '#contract/parse.ts'
import { liveOperations } from '#contract/permissions.ts'
import { extendIdleTime } from '../core/accounts/sessions.ts'
import { logRefusal } from '../core/audit/security-log.ts'
import { Refusal, toErrorBody } from '../core/errors.ts'
import type { Ctx } from '../core/ports.ts'
import type { Connection, Disconnect } from './connection.ts'
import { type AckFields, dispatch, type HandlerContext } from './handlers.ts'
import { createMessageLimiter } from './message-rate-limits.ts'
import { SerialQueue } from './serial-queue.ts'
import type { SessionChecker } from './session-checker.ts'

type Options = Pick<HandlerContext, 'rooms' | 'trackTopic'> & {
  checker: SessionChecker
  disconnect: Disconnect
}

/** Takes clients' messages from their text to the answer. */
export class MessageReceiver {
  #ctx: Ctx
  #options: Options
  #chargeMessage = createMessageLimiter()
  #queues = new Map<Connection, SerialQueue>()

  constructor(ctx: Ctx, options: Options) {
    this.#ctx = ctx
    this.#options = options
  }

  /** Messages of one connection are handled one after another, so that a context is set before it is used. */
  receive(from: Connection, text: string): void {
    const queue = this.#queues.get(from) ?? new SerialQueue((error) => toErrorBody(this.#ctx.log, error))
    this.#queues.set(from, queue)
    queue.add(() => this.#handle(from, text))
  }

  /** To be called when the socket is gone; messages that it sent before are finished. */
  forget(connection: Connection): void {
    void this.#queues
      .get(connection)
      ?.whenDone()
      .then(() => this.#queues.delete(connection))
  }

  async whenIdle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.whenDone()))
  }

  async #handle(from: Connection, text: string): Promise<void> {
    if (from.isClosing) return
    const ctx = this.#ctx
    let ref: string | undefined
    let type = 'message'
    try {
      if (!from.takeRateToken(ctx.now())) return this.#endFlood(from)
      const json = parseJson(text)
      ref = readRef(json)
      const message = parseClientMessage(json)
      type = message.type
      if (await this.#perform(from, message))
        await extendIdleTime(ctx, from.actor, liveOperations[message.type])
    } catch (error) {
      await logRefusal(ctx, from.actor, type, error)
      from.sendDirectly({ type: 'error', ...this.#toClientError(error), ...(ref !== undefined && { ref }) })
    }
  }

  /** False when the login behind the connection ended. */
  async #perform(from: Connection, message: ClientMessage): Promise<boolean> {
    const ctx = this.#ctx
    const { rooms, trackTopic, checker } = this.#options
    if (!(await checker.canHandle(from, message.type))) return false
    if (ctx.settings.guestLimits) this.#chargeMessage(from, message, ctx.now())
    const fields = await dispatch({ ctx, from, rooms, trackTopic }, message)
    // The PIN or the login of the chosen member may have changed while the choice was made.
    if (message.type === 'set-crew-member-context' && !(await checker.check(from))) return false
    acknowledge(from, message, fields ?? {})
    return true
  }

  #endFlood(from: Connection): void {
    from.sendDirectly({
      type: 'error',
      code: 'rate_limited',
      message: 'Too many messages. Please wait a moment.',
    })
    this.#options.disconnect(from, closeCodes.flooding, 'Too many messages')
  }

  /** The login was settled at the upgrade and nobody can sign in on this channel, so guests are simply refused. */
  #toClientError(error: unknown): ErrorBody {
    const { code, message } = toErrorBody(this.#ctx.log, error)
    return { code: code === 'unauthenticated' ? 'forbidden' : code, message }
  }
}

function acknowledge(from: Connection, { ref, type }: ClientMessage, fields: AckFields): void {
  if (ref !== undefined) from.sendDirectly({ type: 'ack', ref, ...fields })
  else if (type === 'service-request') from.sendDirectly({ type: 'ack', ...fields })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('invalid', 'Message not understood', { cause })
  }
}

/** Read before the message is validated, so that the answer to an invalid message carries its `ref` too. */
function readRef(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('ref' in json)) return undefined
  return typeof json.ref === 'string' && json.ref.length <= 64 ? json.ref : undefined
}

function parseClientMessage(json: unknown): ClientMessage {
  const parsed = contract.parse(ClientMessage, json)
  if (parsed.ok) return parsed.value
  const isKnownType = parsed.field !== undefined && parsed.field !== 'type'
  throw new Refusal('invalid', isKnownType ? parsed.message : 'Message not understood')
}
