import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../../lib/texts/translate.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

/** Says why tables are needed first, and leads to where they are set up. */
export function NoTables({ children }: { children: ReactNode }): JSX.Element {
  return (
    <Card title={t('No Tables Yet')}>
      <p>{children}</p>
      <div>
        <Link href="/admin-dashboard/floor" asChild>
          <LinkButton variant="primary">{t('Set Up Tables')}</LinkButton>
        </Link>
      </div>
    </Card>
  )
}
