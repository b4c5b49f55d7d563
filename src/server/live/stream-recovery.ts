import { closeCodes } from '#contract/live.ts'
import type { Ctx, Event } from '../core/ports.ts'
import * as streams from '../core/streams.ts'
import { type Topic, topicName } from '../core/topics.ts'
import { broadcast, type Connection, type Disconnect } from './connection.ts'
import { resendSnapshots } from './handlers.ts'
import type { Rooms } from './rooms.ts'
import { StreamSequencer } from './stream-sequencer.ts'

/** How long a stream that is behind the database may take to catch up by itself, in milliseconds. */
const catchUpGraceMs = 500

/**
 * Delivers the events of each stream in order. The bus delivers at most once, so if an event is missing, everybody
 * affected gets a new snapshot.
 */
export class StreamRecovery {
  #ctx: Ctx
  #rooms: Rooms
  #disconnect: Disconnect
  #sequencer = new StreamSequencer((stream) => void this.#recover(stream))

  constructor(ctx: Ctx, rooms: Rooms, disconnect: Disconnect) {
    this.#ctx = ctx
    this.#rooms = rooms
    this.#disconnect = disconnect
  }

  deliver({ topic, message }: Event): void {
    const stream = streamKey(topic)
    if (this.#rooms.inRestaurant(topic.restaurantId).size === 0) return this.#sequencer.forget(stream)
    const send = () => broadcast(this.#rooms.inTopic(topicName(topic)), message)
    if (message.seq === undefined) send()
    else this.#sequencer.receive(stream, message.seq, topic.kind !== 'table', send)
  }

  /** Notices events of this topic that get lost from now on. */
  async track(topic: Topic): Promise<void> {
    const stream = streamKey(topic)
    if (this.#sequencer.position(stream) !== undefined) return
    const position = await streams.getPosition(this.#ctx, topic.restaurantId, streams.streamName(topic))
    this.#sequencer.startAt(stream, position)
  }

  /** Recovers the streams that are behind the database and do not catch up. */
  async checkForMissedEvents(): Promise<void> {
    try {
      const ahead = await streams.listAhead(this.#ctx, this.#sequencer.positions())
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
  }

  /** An event is lost: staff of the restaurant get new snapshots, guests reconnect. */
  async #recover(stream: string): Promise<void> {
    const [restaurantId = '', name = ''] = stream.split(' ')
    try {
      this.#sequencer.skipTo(stream, await streams.getPosition(this.#ctx, restaurantId, name))
      const connections = [...this.#rooms.inRestaurant(restaurantId)]
      const staff = connections.filter(isStaff)
      for (const guest of connections.filter((connection) => !isStaff(connection)))
        this.#disconnect(guest, closeCodes.restart, 'Please come back')
      await Promise.all(staff.map((connection) => resendSnapshots(this.#ctx, connection)))
    } catch (error) {
      this.#ctx.log.error({ error, restaurantId }, 'could not recover a live stream')
    }
  }
}

const streamKey = (topic: Topic): string => streams.streamKey(topic.restaurantId, streams.streamName(topic))

const isStaff = ({ screen, actor }: Connection): boolean => screen !== null || actor.crewMember !== null
