import { type JSX } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import { type Breaks, colleaguesOnDuty } from './use-breaks.ts'

type BreakDrawerProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  breaks: Breaks
  open: boolean
  onOpenChange: (open: boolean) => void
}

const everybody = 'everybody'

/** Asks who covers for `me`: everybody, or a colleague who is on duty. */
export function BreakDrawer({ me, crew, breaks, open, onOpenChange }: BreakDrawerProps): JSX.Element {
  const colleagues = colleaguesOnDuty(me, crew, breaks)
  return (
    <Drawer
      title={t('Going on break')}
      description={t('Your tables call whoever covers for you until you are back.')}
      open={open}
      onOpenChange={onOpenChange}
    >
      <RadioList
        label={t('Who covers for you?')}
        options={[
          { value: everybody, label: t('Everybody') },
          ...colleagues.map(({ id, name, role }) => ({ value: id, label: name, detail: t(role) })),
        ]}
        value={null}
        noneFound={t('No names found')}
        onPick={(coverId) => {
          onOpenChange(false)
          breaks.start(coverId === everybody ? null : coverId)
        }}
      />
    </Drawer>
  )
}
