import type { JSX } from 'react'
import { Link } from 'wouter'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page.tsx'

export function NotFound(): JSX.Element {
  return (
    <Page theme="light" title="404 Page Not Found" width="narrow" stacked>
      <Card>
        <p>Did you forget to add the page to the router?</p>
        <Link href="/" asChild>
          <LinkButton variant="primary">Home</LinkButton>
        </Link>
      </Card>
    </Page>
  )
}
