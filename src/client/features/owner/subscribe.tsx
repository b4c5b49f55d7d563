import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page.tsx'

export function Subscribe(): JSX.Element {
  return (
    <Page
      ground="light"
      title="Choose Your Plan"
      width="narrow"
      stacked
      back={
        <Button
          variant="quiet"
          icon={<ArrowLeft aria-hidden className="rtl:rotate-180" />}
          onClick={() => history.back()}
        >
          Back
        </Button>
      }
    >
      <Card>
        <p>Plans cannot be chosen here yet.</p>
        <Link href="/dashboard" asChild>
          <LinkButton variant="primary">Skip for now</LinkButton>
        </Link>
      </Card>
    </Page>
  )
}
