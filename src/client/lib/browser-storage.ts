/** Kept until the browser's data is cleared. */
type DeviceKey =
  | 'crew-member-id'
  | 'shortcuts'
  | 'unsaved-recovery-codes'
  | VisitKey
  | GuestKey
  | ReadKey
  | UnsentKey
  | ShiftKey
/** Kept until the tab is closed or somebody signs out. */
type SessionKey =
  | 'restaurantId'
  | 'crewMemberId'
  | 'crewMemberName'
  | 'crewRole'
  | 'firstTimeSetup'
  | 'signedUp'
  | 'toast'
/** What a crew member has read of each conversation. */
type ReadKey = `read_${string}`
/** A message that a crew member wrote, until the server answered it. */
type UnsentKey = `unsent_${string}`
/** The day on which a crew member last started a shift here. */
type ShiftKey = `shift_${string}`
type VisitKey = `session_${string}_${string}`
/** A guest's tap until the server stored it, a request this device asked for, the proof of a printed code. */
type GuestKey = `${'ask' | 'asked' | 'code'}_${string}`

interface Store {
  get: (key: string) => string | null
  set: (key: string, value: string) => void
  remove: (key: string) => void
  clear: () => void
  keys: () => string[]
}

/** A browser may refuse storage altogether, or be full: then the page remembers for as long as it is open. */
function withMemoryFallback(area: () => Storage): Store {
  const spare = new Map<string, string>()
  function attempt<T>(work: (storage: Storage) => T): T | null {
    try {
      return work(area())
    } catch {
      return null
    }
  }
  return {
    get: (key) => spare.get(key) ?? attempt((storage) => storage.getItem(key)),
    set(key, value) {
      spare.set(key, value)
      attempt((storage) => {
        storage.setItem(key, value)
        spare.delete(key)
      })
    },
    remove(key) {
      spare.delete(key)
      attempt((storage) => storage.removeItem(key))
    },
    clear() {
      spare.clear()
      attempt((storage) => storage.clear())
    },
    keys: () => [...new Set([...(attempt((storage) => Object.keys(storage)) ?? []), ...spare.keys()])],
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

export function listGuestKeys(kind: 'ask' | 'asked'): GuestKey[] {
  const isOf = (key: string): key is GuestKey => key.startsWith(`${kind}_`)
  return device.keys().filter(isOf)
}

export function listUnsentKeys(): UnsentKey[] {
  const isUnsent = (key: string): key is UnsentKey => key.startsWith('unsent_')
  return device.keys().filter(isUnsent)
}

/** Signing out clears the whole session storage. */
export function clearSessionStorage(): void {
  session.clear()
}

/** Under this key stands the start of a guest's visit, in milliseconds as plain digits. */
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
