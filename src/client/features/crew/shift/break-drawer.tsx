import { type JSX } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import { Drawer } from '../../../ui/drawer.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import type { Breaks } from './use-breaks.ts'

type BreakDrawerProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  breaks: Breaks
  open: boolean
  onOpenChange: (open: boolean) => void
}

const everybody = 'everybody'

/** Who looks after one's tables meanwhile: everybody, or a colleague who is not on a break too. */
export function BreakDrawer({ me, crew, breaks, open, onOpenChange }: BreakDrawerProps): JSX.Element {
  const away = new Set(breaks.all.map(({ crewMemberId }) => crewMemberId))
  const colleagues = crew.filter(({ id }) => id !== me.id && !away.has(id))
  return (
    <Drawer
      title="Going on break"
      description="Your tables call whoever covers for you until you are back."
      open={open}
      onOpenChange={onOpenChange}
    >
      <RadioList
        label="Who covers for you?"
        options={[
          { value: everybody, label: 'Everybody' },
          ...colleagues.map(({ id, name, role }) => ({ value: id, label: name, detail: role })),
        ]}
        value={null}
        noneFound="No names found"
        onPick={(picked) => {
          onOpenChange(false)
          breaks.start(picked === everybody ? null : picked)
        }}
      />
    </Drawer>
  )
}
