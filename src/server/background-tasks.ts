import type { Log } from './core/ports.ts'

type BackgroundTasks = {
  run: (work: () => Promise<void>) => void
  /** Until nothing is going on any more. */
  whenIdle(): Promise<void>
}

/** What goes on after an answer was given, so that the server can wait for it before it stops. */
export function createBackgroundTasks(log: Log): BackgroundTasks {
  const running = new Set<Promise<void>>()

  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    run(work) {
      const task = work()
        .catch((error: unknown) => log.error({ error }, 'background work failed'))
        .finally(() => running.delete(task))
      running.add(task)
    },
    whenIdle: settled,
  }
}
