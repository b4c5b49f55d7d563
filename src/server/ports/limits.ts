export type LimitName =
  | 'guest-device'
  | 'guest-table'
  | 'guest-address'
  | 'guest-restaurant'
  | 'guest-still-waiting-device'
  | 'guest-still-waiting-address'
  | 'guest-miss-device'
  | 'guest-miss-address'
  | 'guest-note-device'
  | 'guest-note-table'
  | 'guest-note-address'
  | 'guest-note-restaurant'
  | 'guest-button'
  | 'guest-button-miss'
  | 'guest-link-miss'
  | 'api-token'
  | 'api-token-miss'
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
  | 'restaurant-export'
  | 'oidc-address'
  | 'refusal-log'
  | 'csp-report-address'
  | 'csp-report-all'
  | 'device-code'
  | 'device-code-address'
  | 'device-code-all'
  | 'staff-password'
  | 'outside-test'
  | 'outside-again'
  | 'mailed-code'
  | 'mailed-code-address'
  | 'mailed-link'
  | 'mailed-link-address'
  | 'mailed-link-kept'
  | 'mailed-link-caller'

export type LimitKey = readonly [limit: LimitName, key: string]

/** Counted for all workers of a server together, and for all servers of an installation. */
export type Limits = {
  /** Counts one, or throws a `rate_limited` refusal. */
  take(limit: LimitName, key: string): Promise<void>
  /** Throws what `take` would throw, and counts nothing. */
  check(limit: LimitName, key: string): Promise<void>
  clear(limit: LimitName, key: string): Promise<void>
  /**
   * Counts one for each of `taken` and forgets `cleared`, or throws and does nothing if any of `taken` and `alsoChecked`
   * is full. Nothing else is counted in between.
   */
  takeAll(
    taken: readonly LimitKey[],
    alsoChecked?: readonly LimitKey[],
    cleared?: readonly LimitKey[],
  ): Promise<void>
}

/** What a server counted since it last said so. Sent without anything once a second, it says that the server lives. */
export type LimitsSignal = {
  kind: 'limits'
  /** The server, all its workers together. */
  server: string
  /** Rises with each signal of this server. */
  number: number
  counts: LimitCount[]
  /** How many sockets of a key are open there. */
  sockets: [key: string, open: number][]
  /** All that it knows, for a server that has just started or missed something. */
  areTotals?: true
  /** The others are to say all that they know, too. */
  asks?: true
  /** It stops. */
  leaves?: true
}

/** `leftMs`: until the window ends. */
export type LimitCount = [limit: LimitName, key: string, count: number, leftMs: number]
