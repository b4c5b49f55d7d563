import type { ServerMessage } from '#contract/live.ts'
import type { Topic } from '../storage/streams.ts'
import type { LimitsSignal } from './limits.ts'

/** A message and who receives it. `followers`: how many others carry its number, which is theirs alone. */
export type Event = { topic: Topic; message: ServerMessage; followers?: number }

/**
 * Delivers signals between nodes, at most once: the rows are authoritative, and a signal is only a reason to read them.
 * It never throws or rejects, because what it announces is already committed.
 */
export type Bus = {
  publish(signals: readonly Signal[]): void
  subscribe(listener: (signal: Signal) => void): () => void
  /** Calls back whenever signals may have been lost, such as after a reconnection. */
  onGap(listener: () => void): () => void
  /** Whether it can deliver signals right now. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

/** Signals between the nodes of one installation. */
export type Signal =
  | { kind: 'event'; event: Event }
  /** These sessions lost grants, so their sockets must be checked again. `onPurpose` when they signed out. */
  | { kind: 'sessions-changed'; sessionIds: string[]; onPurpose?: true }
  /** Removed, or with another name, role or PIN: screens that act as this crew member must be checked again. */
  | { kind: 'crew-member-changed'; crewMemberId: string }
  /** A signal of this restaurant could not be delivered: read the rows instead. */
  | { kind: 'missed'; restaurantId: string }
  /** How many staff screens of a restaurant one node has. */
  | {
      kind: 'presence'
      node: string
      restaurantId: string
      listening: number
      screens: number
      /** Crew members with a listening screen. */
      crew: string[]
      /** Whoever stopped listening since the last count did so by signing out. */
      onPurpose?: true
    }
  /** A node has started that does not know yet which screens the others have. */
  | { kind: 'presence-wanted' }
  /** A node has closed its sockets: its screens come back through another one, or not at all. */
  | { kind: 'node-stops'; node: string }
  | LimitsSignal
  /** A device of this restaurant was added or removed; `onPurpose` when its user turned the alerts off. */
  | { kind: 'devices-changed'; restaurantId: string; onPurpose?: true }
