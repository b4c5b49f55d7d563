import { withMemoryFallback, type Store } from './memory-fallback.ts'

/** Kept until the browser's data is cleared. */
type DeviceKey =
  | 'crew-member-id'
  | 'shortcuts'
  | 'language'
  | 'spoken-alerts'
  | 'section-filter'
  | 'section-tables'
  | 'unsaved-recovery-codes'
  | 'manager-name'
  | 'restaurant-switch'
  | 'owners-restaurant'
  | ReadKey
  | UnsentKey
  | ShiftKey
  | LastKnownKey
  | PrintedCardsKey
/** Kept until the tab is closed or somebody signs out. */
type SessionKey =
  | 'restaurantId'
  | 'crewMemberId'
  | 'crewMemberName'
  | 'crewRole'
  | 'firstTimeSetup'
  | 'signedUp'
  | 'toast'
  | 'demo'
  | 'reloadedAt'
/** Until when a crew member has read each conversation. */
type ReadKey = `read_${string}`
/** A crew member's message until the server has answered it. */
type UnsentKey = `unsent_${string}`
/** When a crew member last started a shift here. */
type ShiftKey = `shift_${string}`
/** The crew page's last list, and its taps that wait for the network. */
type LastKnownKey = 'last-list' | 'unsent-taps'
/** For the printed cards of a restaurant: the codes found on its last walk, its logo, and what they are written in. */
type PrintedCardsKey = `${'walk' | 'logo' | 'card-language'}_${string}`

const device = withMemoryFallback(() => localStorage)
const session = withMemoryFallback(() => sessionStorage)

const sessionKeys: ReadonlySet<string> = new Set<SessionKey>([
  'restaurantId',
  'crewMemberId',
  'crewMemberName',
  'crewRole',
  'firstTimeSetup',
  'signedUp',
  'toast',
  'demo',
  'reloadedAt',
])

const storeOf = (key: DeviceKey | SessionKey): Store => (sessionKeys.has(key) ? session : device)

export function getStored(key: DeviceKey | SessionKey): string | null {
  return storeOf(key).get(key)
}

export function setStored(key: DeviceKey | SessionKey, value: string): void {
  storeOf(key).set(key, value)
}

export function removeStored(key: DeviceKey | SessionKey): void {
  storeOf(key).remove(key)
}

export function listUnsentKeys(): UnsentKey[] {
  const isUnsent = (key: string): key is UnsentKey => key.startsWith('unsent_')
  return device.keys().filter(isUnsent)
}

export const clearTab = (): void => session.clear()

/** Signing out clears the whole session storage, and what the crew page keeps for opening without a network. */
export function clearSessionStorage(): void {
  clearTab()
  removeLastKnown()
}

export function removeLastKnown(): void {
  for (const key of ['last-list', 'unsent-taps'] as const) removeStored(key)
}

/** The crew member signed in or chosen on this device. */
export const getSelectedMember = (): string | null => getStored('crewMemberId') ?? getStored('crew-member-id')
