import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerMessage } from '#contract/live.ts'
import type { Database, Db } from '../storage/database.ts'
import * as streams from '../storage/streams.ts'
import type { Analyst } from './analyst.ts'
import { toGuestMessage } from './guest-copy.ts'
import type { Payments } from './payments.ts'
import type { Push } from './push.ts'
import type { Pusher } from './pusher.ts'
import type { WebAuthn } from './webauthn.ts'

export type Topic = streams.Topic

export const topicName = (topic: Topic): string => {
  switch (topic.kind) {
    case 'staff':
      return `staff:${topic.restaurantId}`
    case 'crew':
      return `crew:${topic.restaurantId}:${topic.crewMemberId}`
    case 'table':
      return `table:${topic.restaurantId}:${topic.tableKey}`
  }
}

export type Event = { topic: Topic; message: ServerMessage }

/** What the nodes of one installation tell each other. */
export type Signal =
  | { kind: 'event'; event: Event }
  /** These sessions lost grants: their sockets must prove themselves anew. `onPurpose` when they signed out. */
  | { kind: 'sessions-changed'; sessionIds: string[]; onPurpose?: true }
  /** Gone, or under another name, role or PIN: screens that act as this crew member must prove it anew. */
  | { kind: 'crew-member-changed'; crewMemberId: string }
  /** Something of this restaurant's could not be carried: look at the rows. */
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
      /** Whoever stopped listening since the last count signed out. */
      onPurpose?: true
    }
  /** A device of this restaurant came or went; `onPurpose` when whoever has it switched its alerts off. */
  | { kind: 'devices-changed'; restaurantId: string; onPurpose?: true }

/**
 * Carries signals between nodes, at most once: the row is the truth, an event only says "look".
 * Never throws or rejects towards its caller: what is committed stays committed.
 */
export type Bus = {
  publish(signals: readonly Signal[]): void
  subscribe(listener: (signal: Signal) => void): () => void
  /** Calls back whenever signals may have been lost, such as after a reconnection. */
  onGap(listener: () => void): () => void
  /** Whether it can carry a signal right now. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

export type Log = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Whose turn it is to have a password hashed, and the account that strangers ask for. */
export type Turn = { of: string; account?: string }

export type Passwords = {
  hash(password: string, turn: Turn): Promise<string>
  /** Takes as long for `null`, an account that does not exist, as for one that does. */
  verify(hash: string | null, password: string, turn: Turn): Promise<boolean>
  isCommon(password: string): boolean
}

export type Secrets = {
  /** 192 random bits, base64url. */
  newToken(): string
  /** Six random digits. */
  newDigits(): string
  /** SHA-256, base64url. */
  digest(token: string): string
  /** The first 128 bits of HMAC-SHA256, base64url. */
  sign(key: string, text: string): string
  /** For authenticator apps, which know nothing newer. */
  hmacSha1: (key: Buffer, message: Buffer) => Buffer
  /** In constant time. */
  equal(a: string, b: string): boolean
}

export type LimitName =
  | 'guest-device'
  | 'guest-table'
  | 'guest-address'
  | 'guest-restaurant'
  | 'guest-urge-device'
  | 'guest-urge-address'
  | 'guest-miss-device'
  | 'guest-miss-address'
  | 'login'
  | 'login-address'
  | 'login-account'
  | 'login-device'
  | 'pin'
  | 'pin-browser'
  | 'pin-member'
  | 'new-name-hour'
  | 'new-name-day'
  | 'new-name-all'
  | 'code-sheet'
  | 'oidc-address'
  | 'refusal-log'
  | 'csp-report-address'
  | 'csp-report-all'
  | 'device-code'
  | 'device-code-address'
  | 'device-code-all'
  | 'staff-password'

export type Limits = {
  /** Counts one, or throws a `rate_limited` refusal. Awaits nothing but memory. */
  take(limit: LimitName, key: string): Promise<void>
  /** Throws what `take` would throw, and counts nothing. */
  check(limit: LimitName, key: string): Promise<void>
  clear(limit: LimitName, key: string): Promise<void>
}

export type Presence = {
  listening: boolean
  screens: number
  /** Crew members who have a listening screen of their own, or a device that is pushed to. */
  listeners: ReadonlySet<string>
}

/** Everything an operation may reach, handed in once by app.ts. */
export type Ctx = {
  db: Database
  bus: Bus
  now: () => number
  newId: () => string
  secrets: Secrets
  /** Signs what browsers carry for us. All nodes have the same; what is signed begins with what it is for. */
  installationKey: string
  passwords: Passwords
  webAuthn: WebAuthn
  limits: Limits
  presence: (restaurantId: string) => Presence
  analyst: Analyst
  payments: Payments
  push: Push
  pusher: Pusher
  /** Whether any device is pushed to, in this restaurant or at all. From memory, and a moment late. */
  hasDevices: (restaurantId?: string) => boolean
  /** Goes on after the answer; the server waits for it before it stops. What it throws is logged. */
  background: (work: () => Promise<void>) => void
  log: Log
  settings: {
    publicUrl: string
    /** The restaurant that `default` means where there are several. */
    defaultRestaurant: string | null
    billing: boolean
    guestLimits: boolean
  }
}

/** Holds what is to be done after the commit. */
const writing = new AsyncLocalStorage<(() => void)[]>()

/** The database outside a transaction. Reaching for it inside one would read what is not there yet. */
export function read(ctx: Ctx): Db {
  if (writing.getStore()) throw new Error('inside write(), use the db it hands you')
  return ctx.db.reader
}

export type Announce = (topic: Topic, message: ServerMessage) => void

/** To be called inside `write`: is done once that is committed, and never when it is not. */
export function afterCommit(work: () => void): void {
  const later = writing.getStore()
  if (!later) throw new Error('outside write(), just do it')
  later.push(work)
}

/** Runs `work` in one transaction and publishes what it announced, in order, only after commit. */
export async function write<T>(ctx: Ctx, work: (db: Db, announce: Announce) => Promise<T>): Promise<T> {
  if (writing.getStore()) throw new Error('write() inside write()')
  const { result, events, later } = await ctx.db.transact((db) => {
    const later: (() => void)[] = []
    return writing.run(later, async () => {
      const announced: Event[] = []
      const result = await work(db, (topic, message) =>
        announced.push({ topic, message: topic.kind === 'table' ? toGuestMessage(message) : message }),
      )
      return { result, events: await streams.number(db, announced), later }
    })
  })
  if (events.length > 0) {
    ctx.bus.publish(events.map((event) => ({ kind: 'event', event })))
    ctx.pusher.told(events)
  }
  for (const done of later) done()
  return result
}
