/** How far down each page of the history was left. */
const positions = new Map<unknown, number>()
const userActions = ['wheel', 'touchstart', 'pointerdown', 'keydown']
/** A page that comes later than this stays where it is. */
const longestMs = 10_000

/** Entries of the page before a reload are others. */
let lastEntry = Date.now()
let stopRestoring: (() => void) | undefined

/** The state of a new entry of the history. */
export const newEntry = (): { entry: number } => ({ entry: ++lastEntry })

function currentEntry(): unknown {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'entry' in state ? state.entry : null
}

/**
 * Back and Forward lead to where one was. The browser gives up if the page is not long enough yet, which is what most
 * are that have to be loaded again.
 */
export function restoreScrollOnBack(): () => void {
  const save = (): void => {
    if (!stopRestoring) positions.set(currentEntry(), scrollY)
  }
  addEventListener('scroll', save, { passive: true })
  addEventListener('popstate', restore)
  return () => {
    removeEventListener('scroll', save)
    removeEventListener('popstate', restore)
    stopRestoring?.()
  }
}

function restore(): void {
  stopRestoring?.()
  const entry = currentEntry()
  const top = positions.get(entry)
  if (top === undefined) return
  const observer = new ResizeObserver(() => {
    // Going back over a closed dialog may be followed at once by another page.
    if (currentEntry() === entry) scrollTo({ top, behavior: 'instant' })
    else stop()
  })
  observer.observe(document.body)
  const stop = (): void => {
    observer.disconnect()
    clearTimeout(timer)
    for (const type of userActions) removeEventListener(type, stop)
    stopRestoring = undefined
  }
  const timer = setTimeout(stop, longestMs)
  for (const type of userActions) addEventListener(type, stop, { passive: true })
  stopRestoring = stop
}
