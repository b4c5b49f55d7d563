import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { t } from '../../lib/texts/translate.ts'
import { LinkButton } from '../link-button.tsx'

/** The way back from a page; it names where it leads if that is a screen of its own. */
export function BackLink({ href, name = t('Back') }: { href: string; name?: string }): JSX.Element {
  return (
    <Link href={href} asChild>
      <LinkButton variant="quiet" icon={<ArrowLeft aria-hidden className="rtl:rotate-180" />}>
        {name}
      </LinkButton>
    </Link>
  )
}
