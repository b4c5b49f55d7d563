import { statSync } from 'node:fs'

/** Called with how much is done, of how much where that is known. */
export type OnProgress = (done: number, total: number | null) => void

const intervalMs = 200

/** Reports how far a file has grown that something else writes. */
export function watchSize(path: string, total: number | null, onProgress: OnProgress): Disposable {
  const timer = setInterval(
    () => onProgress(statSync(path, { throwIfNoEntry: false })?.size ?? 0, total),
    intervalMs,
  )
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Reports how many rows have been passed on. */
export async function* countRows<T extends { rows: readonly unknown[] }>(
  batches: AsyncIterable<T>,
  total: number | null,
  onProgress: OnProgress,
): AsyncGenerator<T> {
  let done = 0
  for await (const batch of batches) {
    yield batch
    done += batch.rows.length
    onProgress(done, total)
  }
}
