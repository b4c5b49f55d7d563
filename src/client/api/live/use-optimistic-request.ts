import { useCallback } from 'react'
import type { ClientMessageInput, LiveReply } from '#contract/live.ts'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { type Due, LiveError } from './live-channel.ts'
import { useLive } from './use-live.ts'

type OptimisticRequest<M extends ClientMessageInput> = {
  message: M
  due?: Due
  /** Instead of 'Error'. */
  errorTitle?: string
  /** Shows the effect before the server has answered, one frame after the tap. */
  apply?: () => void
  confirm?: (reply: LiveReply<M['type']>) => void
  rollBack?: (error: unknown) => void
}

/**
 * Sends a message, whose effect shows before the answer and is taken back if the server refuses it. `showError` gets the
 * server's sentence, unless the session has ended: then the screen goes to its login anyway.
 */
export function useOptimisticRequest(
  showError: (message: string, title?: string) => void,
): <M extends ClientMessageInput>(request: OptimisticRequest<M>) => void {
  const live = useLive()
  return useCallback(
    <M extends ClientMessageInput>({
      message,
      due,
      errorTitle,
      apply,
      confirm,
      rollBack,
    }: OptimisticRequest<M>) => {
      // The answer may come before the paint, and shows after the effect.
      const show = (task: (() => void) | undefined): void => {
        if (task) (apply ? afterPaint : run)(task)
      }
      const answer = live.request(message, due)
      show(apply)
      answer.then(
        (reply) => show(confirm && (() => confirm(reply))),
        (error: unknown) => {
          show(rollBack && (() => rollBack(error)))
          if (!(error instanceof LiveError)) throw error
          if (error.code !== 'unauthenticated') showError(error.message, errorTitle)
        },
      )
    },
    [live, showError],
  )
}

const run = (task: () => void): void => task()
