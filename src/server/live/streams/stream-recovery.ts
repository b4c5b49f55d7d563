import { closeCodes } from '#contract/live.ts'
import type { Ctx } from '../../core/ctx.ts'
import { toErrorBody } from '../../core/errors.ts'
import * as streams from '../../core/streams.ts'
import { topicName } from '../../core/topics.ts'
import type { Event } from '../../ports/bus.ts'
import { broadcast, type Connection, type Disconnect, toFrame } from '../connection.ts'
import { resendSnapshots } from '../handlers.ts'
import type { Rooms } from '../rooms.ts'
import { StreamSequencer } from './stream-sequencer.ts'
import { StreamSnapshots } from './stream-snapshots.ts'

/** How many snapshots are read at once when many screens return, so that requests need not wait for all of them. */
const maxSnapshots = { shared: 10, unshared: 4 }
/** How many streams one turn of the event loop compares with the database, in about 1 ms. */
const comparedAtOnce = 4_000
/** How long a stream that is behind the database may take to catch up by itself, in milliseconds. */
const catchUpGraceMs = 500
/** Pages that are recalled at once would ask for what they show at once. */
const recall = { most: 25, everyMs: 100 }
/** What makes a page read again what no number tells it to have missed. */
const askAgain = {
  guest: [toFrame({ type: 'table-changed' })],
  management: [toFrame({ type: 'opening-changed' }), toFrame({ type: 'manager-notes-changed' })],
}

/**
 * Delivers the events of each stream in order, and the snapshots that come before them. The bus delivers at most once,
 * so if an event is missing, everybody affected gets a new snapshot.
 */
export class StreamRecovery {
  #ctx: Ctx
  #rooms: Rooms
  #disconnect: Disconnect
  /** Runs a task after the connection's messages that came before it. */
  #enqueue: (to: Connection, task: () => Promise<void>) => void
  #sequencer = new StreamSequencer((stream) => void this.#recover(stream))
  /** Guests and managers who are to come back or to ask again, first come first. */
  #recalled = new Map<Connection, 'come-back' | 'ask-again'>()
  #recallTimer: NodeJS.Timeout | undefined
  readonly snapshots: StreamSnapshots

  constructor(
    ctx: Ctx,
    rooms: Rooms,
    disconnect: Disconnect,
    enqueue: (to: Connection, task: () => Promise<void>) => void,
  ) {
    this.#ctx = ctx
    this.snapshots = new StreamSnapshots(
      ctx.now,
      this.#sequencer,
      (stream) => streams.getPosition(ctx, stream),
      maxSnapshots[ctx.db.sharesReads ? 'shared' : 'unshared'],
    )
    this.#rooms = rooms
    this.#disconnect = disconnect
    this.#enqueue = enqueue
  }

  deliver({ topic, message, followers = 0 }: Event): void {
    const stream = streams.streamOf(topic)
    if (this.#isUnheard(stream)) return this.#forget(stream)
    const send = () => broadcast(this.#rooms.inTopic(topicName(topic)), message)
    if (message.seq === undefined) send()
    else this.#sequencer.receive(stream, message.seq, streams.hasStream(topic) ? { followers } : null, send)
  }

  /** Screens that have just gone may be back soon, and find where they were: so this is not done at once. */
  forgetUnheard(): void {
    for (const stream of [...this.#sequencer.names(), ...this.snapshots.followed()])
      if (this.#isUnheard(stream)) this.#forget(stream)
  }

  #isUnheard(stream: string): boolean {
    return this.#rooms.inRestaurant(streams.parseStreamKey(stream).restaurantId).size === 0
  }

  #forget(stream: string): void {
    this.#sequencer.forget(stream)
    this.snapshots.forget(stream)
  }

  /** Recovers the streams that are behind the database and do not catch up. */
  async checkForMissedEvents(): Promise<void> {
    try {
      const ahead: Awaited<ReturnType<typeof streams.listAhead>> = []
      for (const known of this.#sequencer.positions(comparedAtOnce))
        ahead.push(...(await streams.listAhead(this.#ctx, known)))
      if (ahead.length === 0) return
      setTimeout(() => {
        for (const { stream, lastSeq } of ahead)
          if ((this.#sequencer.position(stream) ?? lastSeq) < lastSeq) void this.#recover(stream)
      }, catchUpGraceMs)
    } catch (error) {
      this.#ctx.log.error({ error }, 'could not check for missed live events')
    }
  }

  close(): void {
    this.#sequencer.close()
    clearInterval(this.#recallTimer)
  }

  /** Signals were lost. Whether guests may ask has no numbers that show a gap, so guests and managers ask again. */
  recallPages(connections: Iterable<Connection>): void {
    for (const connection of connections)
      if (pageOf(connection) && !this.#recalled.has(connection)) this.#recalled.set(connection, 'ask-again')
    this.#recallSome()
  }

  /** An event is lost: staff of the restaurant get new snapshots, guests reconnect. */
  async #recover(stream: string): Promise<void> {
    const { restaurantId } = streams.parseStreamKey(stream)
    try {
      const last = await streams.getPosition(this.#ctx, stream)
      // It was only late.
      if (this.#sequencer.isComplete(stream, last)) return
      this.#sequencer.skipTo(stream, last)
      const connections = [...this.#rooms.inRestaurant(restaurantId)]
      const staff = connections.filter(isStaff)
      for (const connection of connections)
        if (!isStaff(connection)) this.#recalled.set(connection, 'come-back')
      this.#recallSome()
      // Not while a screen changes whom it acts as: it would get the messages of another.
      for (const connection of staff) this.#enqueue(connection, () => this.#resendSnapshots(connection))
    } catch (error) {
      this.#ctx.log.error({ error, restaurantId }, 'could not recover a live stream')
    }
  }

  /** A screen whose list cannot be read comes back, and asks until it has it: it cannot know that it missed something. */
  async #resendSnapshots(to: Connection): Promise<void> {
    try {
      await resendSnapshots(this.#ctx, this.snapshots, to)
    } catch (error) {
      toErrorBody(this.#ctx.log, error)
      this.#disconnect(to, closeCodes.restart, 'Please come back')
    }
  }

  #recallSome(): void {
    if (this.#recallTimer) return
    const recallNext = () => {
      for (const [connection, how] of [...this.#recalled].slice(0, recall.most)) {
        this.#recalled.delete(connection)
        if (connection.isClosing) continue
        const page = pageOf(connection)
        if (how === 'come-back') this.#disconnect(connection, closeCodes.restart, 'Please come back')
        else if (page) for (const frame of askAgain[page]) connection.send(frame)
      }
      if (this.#recalled.size > 0) return
      clearInterval(this.#recallTimer)
      this.#recallTimer = undefined
    }
    this.#recallTimer = setInterval(recallNext, recall.everyMs)
    recallNext()
  }
}

/** Undefined for whoever is told nothing without a number. */
function pageOf({ topics }: Connection): keyof typeof askAgain | undefined {
  const kinds = new Set([...topics.values()].map(({ kind }) => kind))
  return kinds.has('guests') ? 'guest' : kinds.has('management') ? 'management' : undefined
}
const isStaff = ({ screen, actor }: Connection): boolean => screen !== null || actor.crewMember !== null
