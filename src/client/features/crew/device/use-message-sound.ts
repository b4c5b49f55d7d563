import { useEffect } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import { useLive } from '../../../api/use-live.ts'
import type { Chime } from './chime.ts'
import { messageTune } from './message-tune.ts'

/** What colleagues write to who works here is heard, whatever the screen shows. */
export function useMessageSound(chime: Chime, me: CrewMember | null): void {
  const live = useLive()
  useEffect(() => {
    if (!me) return undefined
    return live.onMessage((message) => {
      const tune = messageTune(message, me)
      if (tune) chime.play(tune)
    })
  }, [live, chime, me])
}
