import { findGrant } from '../core/actor.ts'
import { topicName } from '../core/topics.ts'
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
    this.#join(connection, topicName({ kind: 'staff', restaurantId }))
    if (findGrant(connection.actor, 'manager') ?? findGrant(connection.actor, 'owner'))
      this.#join(connection, topicName({ kind: 'management', restaurantId }))
    // What other software shows is no proof that anybody sees it.
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
    for (const topic of connection.topics) if (topic.startsWith('crew:')) this.#leave(connection, topic)
    this.#join(connection, topicName({ kind: 'crew', restaurantId, crewMemberId: crewMember.id }))
    this.#onScreensChanged(restaurantId)
  }

  /** A guest is at one table at a time. */
  joinTable(connection: Connection, table: { restaurantId: string; tableKey: string | null }): void {
    for (const topic of connection.topics) if (/^(table|guests):/u.test(topic)) this.#leave(connection, topic)
    const { restaurantId, tableKey } = table
    if (tableKey === null || connection.isClosing) return
    this.#enter(connection, restaurantId)
    this.#join(connection, topicName({ kind: 'table', restaurantId, tableKey }))
    this.#join(connection, topicName({ kind: 'guests', restaurantId }))
  }

  remove(connection: Connection): void {
    for (const topic of connection.topics) this.#leave(connection, topic)
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

  #join(connection: Connection, topic: string): void {
    connection.topics.add(topic)
    this.#byTopic.add(topic, connection)
  }

  #leave(connection: Connection, topic: string): void {
    connection.topics.delete(topic)
    this.#byTopic.delete(topic, connection)
  }
}
