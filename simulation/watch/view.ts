import type { Network } from '../evening/link.ts'
import type { Entry } from '../evening/log.ts'
import type { Settings } from '../evening/settings.ts'

export type RequestView = {
  id: string
  what: string
  waitedMs: number
  /** How much of the longest that the guest should have to wait has passed; null while somebody is on the way. */
  heat: number | null
  /** What is being done about it. */
  crew: string
  /** What the guest reads; null while the phone does not know of it. */
  guest: string | null
}

export type TableView = {
  number: string
  network: Network
  /** What the phone has not got an answer to yet. */
  unsent: number
  /** The guest reads that nobody hears them. */
  isUnheard: boolean
  requests: RequestView[]
}

export type CrewView = { name: string; doing: string; tables: string; network: Network; isBusy: boolean }

export type Counters = {
  taps: number
  acknowledged: number
  completed: number
  waiting: number
  lost: number
  untrue: number
  broken: number
  /** Alerts that reached the manager's phone. */
  alerts: number
  /** From the first tap to "on my way", of half of the requests at most; null before there is one. */
  usualWaitMs: number | null
}

/** What the rush asks of the crew, and what it lets go on to more people; null before there is any. */
export type RushView = {
  soundsPerPerson: number | null
  /** Within which nine of ten requests were told "on my way". */
  nineOfTenMs: number | null
  toAll: number | null
  toManager: number | null
}

export type View = {
  state: 'running' | 'paused' | 'over'
  seed: number
  clock: string
  speed: { asked: number; reached: number }
  settings: Settings
  counters: Counters
  tables: TableView[]
  crew: CrewView[]
  rush: RushView
  screens: { name: string; network: Network }[]
  isPushLost: boolean
  /** Latest first. */
  log: (Omit<Entry, 'at'> & { clock: string })[]
}
