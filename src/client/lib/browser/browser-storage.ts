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
  | VisitKey
  | GuestKey
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
/** Until when a crew member has read each conversation. */
type ReadKey = `read_${string}`
/** A crew member's message until the server has answered it. */
type UnsentKey = `unsent_${string}`
/** The day on which a crew member last started a shift here. */
type ShiftKey = `shift_${string}`
/** The crew page's last list, and its taps that wait for the network. */
type LastKnownKey = 'last-list' | 'unsent-taps'
/** For the printed cards of a restaurant: the codes found on its last walk, its logo, and what they are written in. */
type PrintedCardsKey = `${'walk' | 'logo' | 'card-language'}_${string}`
type VisitKey = `session_${string}_${string}`
/** A guest's tap or note until the server has stored it, a request this device sent, the proof of a printed code. */
type GuestKey = `${'ask' | 'asked' | 'note' | 'code'}_${string}`

interface Store {
  get: (key: string) => string | null
  set: (key: string, value: string) => void
  remove: (key: string) => void
  clear: () => void
  keys: () => string[]
}

/** When the browser refuses storage or it is full, values are kept in memory as long as the page is open. */
function withMemoryFallback(area: () => Storage): Store {
  const memory = new Map<string, string>()
  function attempt<T>(task: (storage: Storage) => T): T | null {
    try {
      return task(area())
    } catch {
      return null
    }
  }
  return {
    get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key)),
    set(key, value) {
      memory.set(key, value)
      attempt((storage) => {
        storage.setItem(key, value)
        memory.delete(key)
      })
    },
    remove(key) {
      memory.delete(key)
      attempt((storage) => storage.removeItem(key))
    },
    clear() {
      memory.clear()
      attempt((storage) => storage.clear())
    },
    keys: () => [...new Set([...(attempt((storage) => Object.keys(storage)) ?? []), ...memory.keys()])],
  }
}

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

export function listGuestKeys(kind: 'ask' | 'asked' | 'note'): GuestKey[] {
  const matches = (key: string): key is GuestKey => key.startsWith(`${kind}_`)
  return device.keys().filter(matches)
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

/** For the start of a guest's visit, stored in milliseconds as plain digits. */
function visitKey(restaurantId: string, tableNumber: string): VisitKey {
  return `session_${restaurantId}_${tableNumber}`
}

export function getVisitStart(restaurantId: string, tableNumber: string): number | null {
  const text = getStored(visitKey(restaurantId, tableNumber))
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

export function setVisitStart(restaurantId: string, tableNumber: string, startedAt: number): void {
  setStored(visitKey(restaurantId, tableNumber), String(startedAt))
}

export function removeVisitStart(restaurantId: string, tableNumber: string): void {
  removeStored(visitKey(restaurantId, tableNumber))
}
