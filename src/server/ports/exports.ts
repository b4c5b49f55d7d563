import type { Readable } from 'node:stream'

/** Everything about a restaurant in one file, which can be read once. */
export type RestaurantArchive = { name: string; bytes: number; chunks: Readable }

/** Writes such files outside the thread that serves guests and crew. */
export type ExportService = {
  /**
   * Refused while another is written, or the last one of this restaurant is not read to its end. Whoever takes too long
   * to read it gets only a part. `begun` is called when it is this one's turn, and may refuse it.
   */
  write(
    job: { restaurantId: string; now: number },
    watch: { signal: AbortSignal; begun: () => Promise<void> },
  ): Promise<RestaurantArchive>
  close(): Promise<void>
}
