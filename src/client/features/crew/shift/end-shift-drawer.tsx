import { type JSX, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { LiveError } from '../../../api/live-channel.ts'
import { useLive } from '../../../api/use-live.ts'
import { Drawer } from '../../../ui/drawer.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { tablesText } from '../requests/work-changes.ts'
import type { Breaks } from './use-breaks.ts'

type EndShiftDrawerProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  breaks: Breaks
  /** What `me` is on the way to. */
  requests: readonly ServiceRequest[]
  onEnd: () => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

const finish = 'finish'
const everybody = 'everybody'

/** Guests read who is on the way: before somebody leaves, somebody else must be, or they wait again. */
export function EndShiftDrawer(props: EndShiftDrawerProps): JSX.Element {
  const { me, crew, breaks, requests, onEnd, open, onOpenChange } = props
  const live = useLive()
  const { toast } = useToast()
  const [busy, setBusy] = useState(false)
  const away = new Set(breaks.all.map(({ crewMemberId }) => crewMemberId))
  const colleagues = crew.filter(({ id }) => id !== me.id && !away.has(id))

  async function pick(picked: string): Promise<void> {
    if (picked === finish) return onOpenChange(false)
    if (busy) return
    setBusy(true)
    try {
      await live.request({ type: 'hand-over-requests', toId: picked === everybody ? null : picked })
      onOpenChange(false)
      onEnd()
    } catch (problem) {
      if (!(problem instanceof LiveError)) throw problem
      toast({ title: 'Error', description: problem.message, destructive: true })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Drawer
      title="You are still on the way"
      description={`${tablesText(requests)}. Who goes there when your shift ends?`}
      open={open}
      onOpenChange={onOpenChange}
    >
      <RadioList
        label="Who goes there?"
        options={[
          { value: finish, label: "I'll finish them first" },
          { value: everybody, label: 'Give back to everybody' },
          ...colleagues.map(({ id, name, role }) => ({ value: id, label: `Hand to ${name}`, detail: role })),
        ]}
        value={null}
        onPick={(picked) => void pick(picked)}
      />
    </Drawer>
  )
}
