import type * as v from 'valibot'
import { errorStatus } from '#contract/errors.ts'
import { ClientMessage, closeCodes, type MessageOf, type ServerMessage } from '#contract/live.ts'
import * as contract from '#contract/parse.ts'
import { liveOperations, type Operation } from '#contract/permissions.ts'
import { extendIdleTime } from '../core/accounts/sessions/sessions.ts'
import { logRefusal } from '../core/audit/security-log.ts'
import type { Ctx } from '../core/ctx.ts'
import { Refusal, toErrorBody } from '../core/errors.ts'
import * as visits from '../core/guests/visits.ts'
import type { Connection, Disconnect } from './connection.ts'
import { type AckFields, dispatch, type HandlerContext, type SingleMessage } from './handlers.ts'
import { createMessageLimiter } from './limits/message-rate-limits.ts'
import { MessageQueue } from './message-queue.ts'
import type { SessionChecker } from './session-checker.ts'

type Answer = NonNullable<MessageOf<ServerMessage, 'ack'>['answers']>[number]

type Options = Pick<HandlerContext, 'rooms' | 'snapshots'> & {
  checker: SessionChecker
  disconnect: Disconnect
}

const sentByScreens: ReadonlySet<string> = new Set(['ping', 'listening', 'requests-seen'])

/** As pages write it. */
const pingText = /^\{"type":"ping"(?:,"ref":"([\w-]{1,64})")?\}$/u

/** Takes clients' messages from their text to the answer. */
export class MessageReceiver {
  #ctx: Ctx
  #options: Options
  #limiter: ReturnType<typeof createMessageLimiter>
  /** Of the connections with unfinished tasks, until the last one is done. */
  #queues = new Map<Connection, MessageQueue>()

  constructor(ctx: Ctx, options: Options) {
    this.#ctx = ctx
    this.#limiter = createMessageLimiter(ctx.countProcesses)
    this.#options = options
  }

  receive(from: Connection, text: string): void {
    if (from.isClosing) return
    // Counted when it arrives: behind one that takes long, nobody may pile up messages.
    if (!from.takeRateToken(this.#ctx.now())) return this.#endFlood(from)
    if (this.#answerPing(from, text)) return
    const receivedAt = performance.now()
    const message = readMessage(text)
    this.enqueue(from, () => this.#handle(from, message, receivedAt), subjectOf(message))
  }

  /** Runs a task after the messages that came before; with a subject, after those about it. */
  enqueue(to: Connection, task: () => Promise<void>, subject: string | null = null): void {
    const queue = this.#queues.get(to) ?? new MessageQueue()
    this.#queues.set(to, queue)
    const done = queue.add(
      () => task().catch((error: unknown) => void toErrorBody(this.#ctx.log, error)),
      subject,
    )
    void done.then(() => {
      if (queue.isIdle) this.#queues.delete(to)
    })
  }

  async whenIdle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.whenIdle()))
  }

  /** Idle screens send little else: it changes nothing, and needs no more than this. False for all other messages. */
  #answerPing(from: Connection, text: string): boolean {
    const ping = this.#queues.has(from) ? null : pingText.exec(text)
    if (!ping) return false
    const [, ref] = ping
    if (ref !== undefined) from.sendDirectly({ type: 'ack', ref })
    return true
  }

  async #handle(
    from: Connection,
    message: ClientMessage | UnreadableMessage,
    receivedAt: number,
  ): Promise<void> {
    if (from.isClosing) return
    try {
      if (message.type === 'message') throw message.error
      // A ping reads and changes nothing.
      const isAllowed = message.type === 'ping' || (await this.#options.checker.canHandle(from, message.type))
      if (!isAllowed) return
      if (message.type === 'resume') await this.#resume(from, message)
      else {
        const fields = await this.#perform(from, message)
        if (fields === null) return
        acknowledge(from, message, fields)
        this.#count(message.type, 200, receivedAt)
        await extendIdleTime(this.#ctx, from.actor, [liveOperations[message.type]])
      }
    } catch (error) {
      const { type, ref } = message
      const answer = await this.#toErrorMessage(from, type, error, ref)
      from.sendDirectly(answer)
      this.#count(type, errorStatus[answer.code], receivedAt)
    } finally {
      from.markAnswered()
    }
  }

  /** Nobody waits for the answer to what screens send by themselves. */
  #count(type: string, status: number, receivedAt: number): void {
    if (!sentByScreens.has(type))
      this.#ctx.metrics.answered('live', status, (performance.now() - receivedAt) / 1000)
  }

  /** A refused message does not stop the rest. */
  async #resume(from: Connection, { ref, messages }: MessageOf<ClientMessage, 'resume'>): Promise<void> {
    const answers: Answer[] = []
    const performed: Operation[] = []
    for (const message of messages) {
      if (from.isClosing) return
      if (!from.takeRateToken(this.#ctx.now())) return this.#endFlood(from)
      try {
        const fields = await this.#perform(from, message)
        if (fields === null) return
        answers.push({ type: 'ack', ref: message.ref, ...fields })
        performed.push(liveOperations[message.type])
      } catch (error) {
        answers.push(await this.#toErrorMessage(from, message.type, error, message.ref))
      }
    }
    from.sendDirectly({ type: 'ack', ref, answers })
    await extendIdleTime(this.#ctx, from.actor, performed)
  }

  /** What the `ack` carries; null when the login behind the connection ended. */
  async #perform(from: Connection, message: SingleMessage): Promise<AckFields | null> {
    const ctx = this.#ctx
    const { rooms, snapshots, checker } = this.#options
    if (ctx.settings.guestLimits) {
      await this.#recognizeCode(from, message)
      this.#limiter.charge(from, message, ctx.now())
    }
    const fields = await ctx.trace(`live ${message.type}`, () =>
      dispatch({ ctx, from, rooms, snapshots }, message),
    )
    if (message.type === 'set-crew-member-context' && !(await checker.crewMemberChosen(from))) return null
    return fields ?? {}
  }

  /** Guests with a code have a limit of their own, which those without one cannot use up. */
  async #recognizeCode(from: Connection, message: SingleMessage): Promise<void> {
    if (message.type !== 'set-restaurant-context' && message.type !== 'service-request') return
    const { restaurantId, tableNumber, k } = message
    if (tableNumber === undefined || !this.#limiter.mayShowCode(from, message, this.#ctx.now())) return
    from.codeOf = await visits.findCodeHolder(this.#ctx, from.actor, { restaurantId, tableNumber, k })
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
  async #toErrorMessage(
    from: Connection,
    type: string,
    error: unknown,
    ref: string | undefined,
  ): Promise<MessageOf<ServerMessage, 'error'>> {
    await logRefusal(this.#ctx, from.actor, type, error)
    const { code, message } = toErrorBody(this.#ctx.log, error)
    return {
      type: 'error',
      code: code === 'unauthenticated' ? 'forbidden' : code,
      message,
      ...(ref !== undefined && { ref }),
    }
  }
}

function acknowledge(from: Connection, { ref, type }: SingleMessage, fields: AckFields): void {
  if (ref !== undefined) from.sendDirectly({ type: 'ack', ref, ...fields })
  else if (type === 'service-request') from.sendDirectly({ type: 'ack', ...fields })
}

type UnreadableMessage = { type: 'message'; ref: string | undefined; error: unknown }

function readMessage(text: string): ClientMessage | UnreadableMessage {
  let ref: string | undefined
  try {
    const json = parseJson(text)
    ref = readRef(json)
    return parseClientMessage(json)
  } catch (error) {
    return { type: 'message', ref, error }
  }
}

/**
 * Whoever completes several requests at once waits for none of the others, nor for what the screen has shown, which is
 * stored with what other screens show. What is done to one request keeps its order.
 */
function subjectOf(message: ClientMessage | UnreadableMessage): string | null {
  switch (message.type) {
    case 'accept-request':
    case 'release-request':
    case 'complete-request':
    case 'reopen-request':
      return message.id
    case 'requests-seen':
      return message.type
    default:
      return null
  }
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

/** The schema tries its variants one after another, so the one that the message names is tried alone. */
const schemas = new Map<unknown, v.GenericSchema<unknown, ClientMessage>>(
  ClientMessage.options.map((schema) => [schema.entries.type.literal, schema]),
)

function parseClientMessage(json: unknown): ClientMessage {
  const type = typeof json === 'object' && json !== null && 'type' in json ? json.type : undefined
  const parsed = contract.parse(schemas.get(type) ?? ClientMessage, json)
  if (parsed.ok) return parsed.value
  const isKnownType = parsed.field !== undefined && parsed.field !== 'type'
  throw new Refusal('invalid', isKnownType ? parsed.message : 'Message not understood')
}
