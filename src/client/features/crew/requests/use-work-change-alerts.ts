import { useEffect, useRef } from 'react'
import { useToast } from '../../../ui/toast.tsx'
import type { Chime } from '../device/chime.ts'
import { diffWork, type WorkSnapshot, tablesText } from './work-changes.ts'

/** A break is told right after the requests that it hands over: one toast says both. */
const groupingMs = 3000

type Observation = WorkSnapshot & { me: string | null }

/** Says with a sound what others did to the work of who works here. `shown` is null before the first list. */
export function useWorkChangeAlerts(shown: WorkSnapshot | null, me: string | null, chime: Chime): void {
  const { toast } = useToast()
  const last = useRef<Observation | null>(null)
  const handedBefore = useRef({ at: -Infinity, text: '' })

  useEffect(() => {
    const before = last.current
    last.current = shown && { ...shown, me }
    if (!before || !shown || before.me !== me) return
    const { cancelled, handedOver: handed, covering } = diffWork(before, shown, me)
    if (handed.length > 0) {
      handedBefore.current = { at: Date.now(), text: `${tablesText(handed)}: you are on the way` }
    }
    const { at, text } = handedBefore.current
    const justHanded = Date.now() - at < groupingMs ? text : ''
    if (cancelled.length > 0) toast({ title: 'Cancelled by the guest', description: tablesText(cancelled) })
    else if (covering.length > 0) {
      const title = `You cover for ${covering.join(', ')}`
      toast({ title, description: justHanded || 'Their tables call you now' })
    } else if (handed.length > 0) toast({ title: 'Handed to you', description: text })
    else return
    chime.play('call')
  }, [shown, me, chime, toast])
}
