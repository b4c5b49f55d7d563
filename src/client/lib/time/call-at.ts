const due = new Map<() => void, number>()
let timer: ReturnType<typeof setTimeout> | undefined
let firesAt = Infinity

/**
 * Calls `task` once at this moment of the device's clock, unless the returned function is called before. All of them
 * share one timer: a list of tickets comes and goes without setting any.
 */
export function callAt(at: number, task: () => void): () => void {
  due.set(task, at)
  schedule(at)
  return () => {
    due.delete(task)
    if (due.size === 0) stop()
  }
}

function schedule(at: number): void {
  if (at >= firesAt) return
  stop()
  firesAt = at
  timer = setTimeout(callDue, at - Date.now())
}

function stop(): void {
  clearTimeout(timer)
  firesAt = Infinity
}

function callDue(): void {
  stop()
  const now = Date.now()
  const tasks = [...due].filter(([, at]) => at <= now)
  for (const [task] of tasks) due.delete(task)
  // A timer may fire slightly too early.
  if (due.size > 0) schedule(Math.min(...due.values()))
  for (const [task] of tasks) task()
}
