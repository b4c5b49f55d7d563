import { getStored, setStored } from './browser-storage.ts'

/** Where loading it anew does not help, it is not tried again for so long, in milliseconds. */
const againAfterMs = 600_000

/**
 * For a page that shows less than there is, because it cannot read what a server of a later version sends: a request of a
 * new kind would alarm nobody.
 */
export function reloadOutdatedPage(): void {
  const reloadedAt = Number(getStored('reloadedAt') ?? 0)
  if (Date.now() - reloadedAt < againAfterMs) return
  setStored('reloadedAt', String(Date.now()))
  location.reload()
}
