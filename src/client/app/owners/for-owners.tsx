import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import type { StaffSession } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { useApiQueryOrNull } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page/page.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'

type ForOwnersProps = { path: string; children: ReactNode }

/** An owner's page while no owner is signed in: whoever else is signed in is not sent to the login unasked. */
export function ForOwners({ path, children }: ForOwnersProps): ReactNode {
  const { data: session, isPending } = useApiQueryOrNull(api.accounts.session, {})
  if (isPending)
    return (
      <main className="grid min-h-dvh place-items-center">
        <Spinner />
      </main>
    )
  const isKnown = session?.manager || session?.crewMember
  return isKnown ? <OwnersOnly {...{ session, path }} /> : children
}

function OwnersOnly({ session, path }: { session: StaffSession; path: string }): JSX.Element {
  const { manager, crewMember, restaurantName } = session
  return (
    <Page theme="light" title={t('Only for the Owner')} subtitle={restaurantName} width="narrow" stacked>
      <Card>
        <p>
          {manager
            ? t('You are signed in as the manager {name}. This page is for the owner of the restaurant.', {
                name: manager.username,
              })
            : t('You are signed in as {name}. This page is for the owner of the restaurant.', {
                name: crewMember?.name ?? '',
              })}
        </p>
        <Link href={manager ? '/management-dashboard' : '/waiter'} replace asChild>
          <LinkButton variant="primary">
            {t(manager ? 'Back to the Management Portal' : 'Back to the Crew Dashboard')}
          </LinkButton>
        </Link>
        <Link href={`/demo-login?${new URLSearchParams({ returnTo: path })}`} replace asChild>
          <LinkButton>{t('Sign in as the owner')}</LinkButton>
        </Link>
      </Card>
    </Page>
  )
}
