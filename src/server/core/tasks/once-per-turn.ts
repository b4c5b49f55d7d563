type AtItsEnd = (task: () => void) => void

/**
 * Hands over together what comes in one turn of the event loop, at its end; with `setImmediate` also what the end of
 * the turn brings.
 */
export function oncePerTurn<T>(
  handOver: (items: T[]) => void,
  atItsEnd: AtItsEnd = (task) => process.nextTick(task),
): (item: T) => void {
  let items: T[] = []
  const end = (): void => {
    const all = items
    items = []
    handOver(all)
  }
  return (item) => {
    if (items.push(item) === 1) atItsEnd(end)
  }
}
