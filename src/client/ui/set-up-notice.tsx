import type { JSX, ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type SetUpNoticeProps = {
  /** What is known of it, if a device did it: the day in words. */
  setUp: { day: string; dismiss: () => void } | null
  /** The link to where it is changed. */
  children: ReactNode
}

/** Whoever was first at a signed-in device may have set up the managers' login: the owner should know. */
export function SetUpNotice({ setUp, children }: SetUpNoticeProps): JSX.Element | null {
  if (!setUp) return null
  return (
    <Notice tone="plain" action={<Button onClick={setUp.dismiss}>Got it</Button>}>
      Manager access was set up on {setUp.day} by a device signed in to your restaurant. Not you?{' '}
      <span className="*:text-action *:underline">{children}</span>
    </Notice>
  )
}
