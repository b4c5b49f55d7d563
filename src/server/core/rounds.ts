import type { Ctx } from './context.ts'
import { climb } from './ladder.ts'
import { callAgain } from './shift.ts'

/** How often each node looks whether it is time for something, in milliseconds. */
const everyMs = 1_000

/** Goes on until the returned function is called. A round that takes long is not overtaken by the next. */
export function keepRounds(ctx: Ctx): () => void {
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    Promise.all([climb(ctx), callAgain(ctx), ctx.pusher.round()])
      .catch((error: unknown) => ctx.log.error({ error }, 'a round of the alerts failed'))
      .finally(() => {
        busy = false
      })
  }, everyMs)
  return () => clearInterval(timer)
}
