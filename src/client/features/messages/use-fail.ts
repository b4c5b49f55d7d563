import { useCallback } from 'react'
import { LiveError } from '../../api/live-channel.ts'
import { useToast } from '../../ui/toast.tsx'

/** Says in the server's words that a message was refused; whose login ended is led away anyhow. */
export function useLiveErrorToast(): (problem: unknown) => void {
  const { toast } = useToast()
  return useCallback(
    (problem) => {
      if (!(problem instanceof LiveError)) throw problem
      if (problem.code === 'unauthenticated') return
      toast({ title: 'Error', description: problem.message, destructive: true })
    },
    [toast],
  )
}
