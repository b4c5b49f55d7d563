import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../button.tsx'
import { Notice } from './notice.tsx'

type OwnerNoticesProps = {
  notices: {
    id: string
    text: string
    link: { href: string; text: string }
    dismiss: (() => void) | null
  }[]
}

/** Tells an owner of security events that others may have caused in their name. */
export function OwnerNotices({ notices }: OwnerNoticesProps): JSX.Element[] {
  return notices.map(({ id, text, link, dismiss }) => (
    <Notice key={id} tone="plain" action={dismiss && <Button onClick={dismiss}>{t('Got it')}</Button>}>
      <span className="wrap-anywhere">{text}</span>{' '}
      <a href={link.href} className="text-action underline">
        {link.text}
      </a>
    </Notice>
  ))
}
