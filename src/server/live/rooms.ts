import { findGrant } from '../core/actor.ts'
import { type Topic, topicName } from '../core/topics.ts'
import type { Connection } from './connection.ts'
import { SetMap } from './set-map.ts'

/** Which connections of this node receive which events. */
export class Rooms {
  #byTopic = new SetMap<Connection>()
  #byRestaurant = new SetMap<Connection>()
  /** `newcomer` is the screen that has just joined. */
  #onScreensChanged: (restaurantId: string, newcomer?: Connection) => void

  constructor(onScreensChanged: (restaurantId: string, newcomer?: Connection) => void) {
    this.#onScreensChanged = onScreensChanged
  }

  inTopic(topic: string): ReadonlySet<Connection> {
    return this.#byTopic.get(topic)
  }

  inRestaurant(restaurantId: string): ReadonlySet<Connection> {
    return this.#byRestaurant.get(restaurantId)
  }

  restaurants(): string[] {
    return this.#byRestaurant.keys()
  }

  joinStaff(connection: Connection, restaurantId: string): void {
    if (connection.isClosing) return
    this.#enter(connection, restaurantId)
    this.#join(connection, { kind: 'staff', restaurantId })
    if (findGrant(connection.actor, 'manager') ?? findGrant(connection.actor, 'owner'))
      this.#join(connection, { kind: 'management', restaurantId })
    // What other software shows does not prove that anybody sees it.
    if (connection.screen || connection.actor.token) return
    connection.screen = { sound: false, push: false, visible: true }
    this.#onScreensChanged(restaurantId, connection)
  }

  describeScreen(connection: Connection, screen: NonNullable<Connection['screen']>): void {
    if (connection.isClosing) return
    connection.screen = screen
    if (connection.restaurantId !== null) this.#onScreensChanged(connection.restaurantId)
  }

  /** A screen acts as one crew member at a time. */
  joinCrew(connection: Connection): void {
    const { restaurantId, crewMember } = connection.actor
    if (restaurantId === null || !crewMember || connection.isClosing) return
    this.#enter(connection, restaurantId)
    this.#leaveAll(connection, 'crew')
    this.#join(connection, { kind: 'crew', restaurantId, crewMemberId: crewMember.id })
    this.#onScreensChanged(restaurantId)
  }

  /** A guest is at one table at a time. Whose visit there has `ended` hears only whether guests may ask. */
  joinTable(
    connection: Connection,
    table: { restaurantId: string; tableKey: string | null; ended?: boolean },
  ): void {
    this.#leaveAll(connection, 'table', 'ended-visits', 'guests')
    const { restaurantId, tableKey, ended = false } = table
    if (tableKey === null || connection.isClosing) return
    this.#enter(connection, restaurantId)
    this.#join(connection, { kind: ended ? 'ended-visits' : 'table', restaurantId, tableKey })
    this.#join(connection, { kind: 'guests', restaurantId })
  }

  remove(connection: Connection): void {
    for (const name of connection.topics.keys()) this.#leave(connection, name)
    this.#exit(connection)
  }

  #enter(connection: Connection, restaurantId: string): void {
    if (connection.restaurantId === restaurantId) return
    this.remove(connection)
    connection.restaurantId = restaurantId
    this.#byRestaurant.add(restaurantId, connection)
  }

  #exit(connection: Connection): void {
    const { restaurantId, screen } = connection
    if (restaurantId === null) return
    this.#byRestaurant.delete(restaurantId, connection)
    connection.restaurantId = null
    connection.screen = null
    if (screen) this.#onScreensChanged(restaurantId)
  }

  #join(connection: Connection, topic: Topic): void {
    const name = topicName(topic)
    connection.topics.set(name, topic)
    this.#byTopic.add(name, connection)
  }

  #leaveAll(connection: Connection, ...kinds: Topic['kind'][]): void {
    for (const [name, { kind }] of connection.topics) if (kinds.includes(kind)) this.#leave(connection, name)
  }

  #leave(connection: Connection, name: string): void {
    connection.topics.delete(name)
    this.#byTopic.delete(name, connection)
  }
}
