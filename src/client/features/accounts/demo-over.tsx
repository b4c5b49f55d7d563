import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { hourMs } from '#contract/durations.ts'
import { getStored, setStored } from '../../lib/browser/browser-storage.ts'
import { t } from '../../lib/texts/translate.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Notice } from '../../ui/page/notice.tsx'

/** So that this tab can say later why its visitor is signed out. */
export const rememberDemo = (): void => setStored('demo', String(Date.now() + hourMs))

function isDemoOver(): boolean {
  const endsAt = getStored('demo')
  return endsAt !== null && Date.now() >= Number(endsAt)
}

/** Above a sign-in, for which the visitor of a demo never had a password. */
export function DemoOver(): ReactNode {
  const [over] = useState(isDemoOver)
  if (!over) return null
  return (
    <Notice
      tone="plain"
      urgent
      action={
        <Link href="/" asChild>
          <LinkButton>{t('Back to the start')}</LinkButton>
        </Link>
      }
    >
      {t('Your demo has ended: its hour is up, and everything in it has been erased.')}
    </Notice>
  )
}
