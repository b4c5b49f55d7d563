import { type JSX, type ReactNode, memo, useEffect, useId, useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'
import type { CrewMemberPicker } from './use-crew-member.ts'

const loadDialogs = () => import('./picker-dialogs.tsx')
const NameDrawer = lazyPart(async () => (await loadDialogs()).NameDrawer)
const PinDialog = lazyPart(async () => (await loadDialogs()).PinDialog)

/** Loaded right after the requests; if this fails, the first use loads them again. */
const preloadDialogs = (): void => void loadDialogs().catch(() => undefined)

/** Who works at this screen, with their tables of today. */
export function CrewPicker({
  picker,
  tables,
  children,
}: {
  picker: CrewMemberPicker
  tables: readonly string[]
  children?: ReactNode
}): JSX.Element {
  const { member } = picker
  const heading = useId()
  useEffect(preloadDialogs, [])
  return (
    <Card title={member ? member.name : 'Select Your Name'} description={member?.role}>
      {member && tables.length > 0 && (
        <div>
          <h3 id={heading} className="mb-2 font-sans text-base font-semibold text-text-mute">
            My tables
          </h3>
          <ul aria-labelledby={heading} className="flex flex-wrap gap-2">
            {tables.map((table) => (
              <li key={table}>
                <Badge tone="outline">{table}</Badge>
              </li>
            ))}
          </ul>
        </div>
      )}
      <NameButton picker={picker} wide />
      {children}
    </Card>
  )
}

/** Opens the list of names. */
export const NameButton = memo(function NameButton({
  picker,
  wide = false,
}: {
  picker: CrewMemberPicker
  wide?: boolean
}): JSX.Element {
  const { loading, member } = picker
  const dialog = useLazyDialog()
  const label = loading ? 'Loading crew members...' : member ? 'Change name' : 'Select your name'
  return (
    <>
      <Button wide={wide} disabled={loading} aria-haspopup="dialog" onClick={dialog.show}>
        {label}
      </Button>
      {dialog.mounted && <NameDrawer picker={picker} {...dialog.props} />}
    </>
  )
})

/** Asks for the PIN when the chosen name is protected by one. */
export function PinPrompt({ picker }: { picker: CrewMemberPicker }): JSX.Element | null {
  const isAsked = picker.flow.step === 'pin'
  const [wasAsked, setWasAsked] = useState(isAsked)
  if (isAsked && !wasAsked) setWasAsked(true)
  return wasAsked ? <PinDialog picker={picker} /> : null
}
