import type { JSX } from 'react'
import { Link } from 'wouter'
import { t } from '../../lib/texts/translate.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page/page.tsx'

export function NotFound(): JSX.Element {
  return (
    <Page theme="light" title={t('404 Page Not Found')} width="narrow" stacked>
      <Card>
        <p>{t('Did you forget to add the page to the router?')}</p>
        <Link href="/" asChild>
          <LinkButton variant="primary">{t('Home')}</LinkButton>
        </Link>
      </Card>
    </Page>
  )
}
