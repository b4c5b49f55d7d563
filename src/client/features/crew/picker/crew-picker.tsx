import { type JSX, type ReactNode, memo, useEffect, useId, useState } from 'react'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { wordShape } from '../../../ui/requests/table-number.tsx'
import type { CrewMemberPicker } from './use-crew-member.ts'

const loadDialogs = () => import('./picker-dialogs.tsx')
const NameDrawer = lazyPart(async () => (await loadDialogs()).NameDrawer)
const PinDialog = lazyPart(async () => (await loadDialogs()).PinDialog)

/** Loaded right after the requests; if this fails, the first use loads them again. */
const preloadDialogs = (): void => void loadDialogs().catch(() => undefined)

/** Who works at this screen. */
export function CrewPicker({
  picker,
  children,
}: {
  picker: CrewMemberPicker
  children?: ReactNode
}): JSX.Element {
  const { member } = picker
  const heading = useId()
  useEffect(preloadDialogs, [])
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-4">
      <div>
        <h2 id={heading} className="whole-words text-xl wrap-anywhere">
          {member ? <bdi style={wordShape(member.name)}>{member.name}</bdi> : t('Select Your Name')}
        </h2>
        {member && <p className="text-text-mute">{t(member.role)}</p>}
      </div>
      {children}
    </section>
  )
}

/** The list of names. It outlives the button that opened it, which another width of the screen may not have. */
export function useNameDrawer(picker: CrewMemberPicker): { openNames: () => void; nameDrawer: ReactNode } {
  const { mounted, open, props } = useDialog()
  return { openNames: open, nameDrawer: mounted && <NameDrawer picker={picker} {...props} /> }
}

type NameButtonProps = { picker: CrewMemberPicker; onOpen: () => void }

/** Opens the list of names. */
export const NameButton = memo(function NameButton({ picker, onOpen }: NameButtonProps): JSX.Element {
  const { loading, member } = picker
  const label = loading ? 'Loading crew members...' : member ? 'Change name' : 'Select your name'
  return (
    <Button wide data-names disabled={loading} aria-haspopup="dialog" onClick={() => onOpen()}>
      {t(label)}
    </Button>
  )
})

/** Asks for the PIN when the chosen name is protected by one. */
export function PinPrompt({ picker }: { picker: CrewMemberPicker }): JSX.Element | null {
  const isAsked = picker.flow.step === 'pin'
  const [wasAsked, setWasAsked] = useState(isAsked)
  if (isAsked && !wasAsked) setWasAsked(true)
  return wasAsked ? <PinDialog picker={picker} /> : null
}
