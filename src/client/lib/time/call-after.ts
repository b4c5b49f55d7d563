import { passedTime } from './passed-time.ts'

const due = new Map<() => void, number>()
let timer: ReturnType<typeof setTimeout> | undefined
let firesAt = Infinity

/**
 * Calls `task` once when this time has passed, unless the returned function is called before. All of them share one
 * timer: a list of tickets comes and goes without setting any.
 */
export function callAfter(ms: number, task: () => void): () => void {
  const at = passedTime() + ms
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
  timer = setTimeout(callDue, at - passedTime())
}

function stop(): void {
  clearTimeout(timer)
  firesAt = Infinity
}

function callDue(): void {
  stop()
  const now = passedTime()
  const tasks = [...due].filter(([, at]) => at <= now)
  for (const [task] of tasks) due.delete(task)
  // A timer may fire slightly too early.
  if (due.size > 0) schedule(Math.min(...due.values()))
  for (const [task] of tasks) task()
}
