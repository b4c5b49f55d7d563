import * as v from 'valibot'
import { ranges } from '../evening/settings.ts'

export const speeds = [1, 2, 5, 10, 30, 60, 120] as const

const within = ({ least, most }: { least: number; most: number }) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most)))

/** What a hand does on the page. */
export const Command = v.variant('do', [
  v.object({ do: v.picklist(['pause', 'continue', 'step', 'new-evening']) }),
  v.object({
    do: v.literal('set'),
    rush: within(ranges.rush),
    staff: within(ranges.staff),
    losses: within(ranges.losses),
    speed: v.optional(v.picklist(speeds)),
  }),
  v.object({ do: v.picklist(['cut', 'freeze', 'give-back']), who: v.string() }),
  v.object({ do: v.picklist(['stop', 'kill', 'lose-push', 'regain-push', 'tell-lie', 'delete-request']) }),
])
export type Command = v.InferOutput<typeof Command>
