import { Worker } from 'node:worker_threads'

type Progress = AsyncDisposable & { report: (done: number, total: number | null) => void }

/**
 * A line on the terminal for what takes longer than two seconds; nothing without a terminal. A thread of its own draws
 * it, because SQLite keeps this one busy.
 */
export function createProgress(label: string): Progress {
  if (!process.stderr.isTTY) return { report() {}, async [Symbol.asyncDispose]() {} }
  // How much is done, of how much (0 if unknown), and whether anything is drawn.
  const shared = new Float64Array(new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT))
  const line = new Worker(new URL('./progress-worker.ts', import.meta.url), { workerData: { label, shared } })
  // The command goes on without it.
  line.on('error', () => {})
  return {
    report(done, total) {
      shared[0] = done
      shared[1] = total ?? 0
    },
    async [Symbol.asyncDispose]() {
      await line.terminate()
      if (shared[2] === 1) process.stderr.write('\r\u001B[K')
    },
  }
}
