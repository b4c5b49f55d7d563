import { topicName } from '../core/topics.ts'
import type { Connection } from './connection.ts'

/** Which connections of this node receive which events. */
export class Rooms {
  #byTopic = new Map<string, Set<Connection>>()
  #byRestaurant = new Map<string, Set<Connection>>()
  /** `newcomer` is the screen that has just joined. */
  #onScreensChanged: (restaurantId: string, newcomer?: Connection) => void

  constructor(onScreensChanged: (restaurantId: string, newcomer?: Connection) => void) {
    this.#onScreensChanged = onScreensChanged
  }

  inTopic(topic: string): ReadonlySet<Connection> {
    return this.#byTopic.get(topic) ?? noConnections
  }

  inRestaurant(restaurantId: string): ReadonlySet<Connection> {
    return this.#byRestaurant.get(restaurantId) ?? noConnections
  }

  restaurants(): string[] {
    return [...this.#byRestaurant.keys()]
  }

  joinStaff(connection: Connection, restaurantId: string): void {
    if (connection.isClosing) return
    this.#enter(connection, restaurantId)
    this.#join(connection, topicName({ kind: 'staff', restaurantId }))
    if (connection.screen) return
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
    for (const topic of connection.topics) if (topic.startsWith('table:')) this.#leave(connection, topic)
    if (table.tableKey === null || connection.isClosing) return
    this.#enter(connection, table.restaurantId)
    this.#join(
      connection,
      topicName({ kind: 'table', restaurantId: table.restaurantId, tableKey: table.tableKey }),
    )
  }

  remove(connection: Connection): void {
    for (const topic of connection.topics) this.#leave(connection, topic)
    this.#exit(connection)
  }

  #enter(connection: Connection, restaurantId: string): void {
    if (connection.restaurantId === restaurantId) return
    this.remove(connection)
    connection.restaurantId = restaurantId
    addTo(this.#byRestaurant, restaurantId, connection)
  }

  #exit(connection: Connection): void {
    const { restaurantId, screen } = connection
    if (restaurantId === null) return
    removeFrom(this.#byRestaurant, restaurantId, connection)
    connection.restaurantId = null
    connection.screen = null
    if (screen) this.#onScreensChanged(restaurantId)
  }

  #join(connection: Connection, topic: string): void {
    connection.topics.add(topic)
    addTo(this.#byTopic, topic, connection)
  }

  #leave(connection: Connection, topic: string): void {
    connection.topics.delete(topic)
    removeFrom(this.#byTopic, topic, connection)
  }
}

const noConnections: ReadonlySet<Connection> = new Set()

function addTo(rooms: Map<string, Set<Connection>>, key: string, connection: Connection): void {
  const room = rooms.get(key)
  if (room) room.add(connection)
  else rooms.set(key, new Set([connection]))
}

function removeFrom(rooms: Map<string, Set<Connection>>, key: string, connection: Connection): void {
  const room = rooms.get(key)
  room?.delete(connection)
  if (room?.size === 0) rooms.delete(key)
}
