import ShieldCheck from 'lucide-react/icons/shield-check'
import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import { useSession } from '../../api/session.ts'
import { useLoadedOwnerNotices } from '../../api/use-owner-notices.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { InOrder, NotYetLoaded } from '../../ui/page/in-order.tsx'
import { OwnerNotices } from '../../ui/page/owner-notices.tsx'
import { Page } from '../../ui/page/page.tsx'
import { RedirectToLogin } from '../../ui/page/redirect-to-login.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { RestoreProvider } from './deleted/restore.tsx'
import { SheetNavigation, type SectionId, sectionName, sectionPath, SideNavigation } from './navigation.tsx'

type SignedInOwner = { restaurantName: string; email: string }

type AdminFrameProps = {
  section: SectionId
  children: (owner: SignedInOwner) => ReactNode
}

/** What every section of the Admin Portal has around it: its navigation, and its guard. */
export function AdminFrame({ section, children }: AdminFrameProps): JSX.Element {
  const session = useSession()
  const signOut = useSignOut()
  const title = section === '' ? t('Admin Portal') : sectionName(section)
  if (session.state !== 'signed-in' || session.user.restaurantName === null)
    return (
      <RedirectToLogin message="Please log in to access admin portal" login={loginPath(section)}>
        <Page theme="light" title={title}>
          <Spinner />
        </Page>
      </RedirectToLogin>
    )
  const { restaurantName, email } = session.user
  return (
    <RestoreProvider>
      <Page
        theme="light"
        title={title}
        subtitle={<p className="wrap-anywhere">{restaurantName}</p>}
        side={<SideNavigation current={section} />}
        actions={
          <>
            <Link href="/security" asChild>
              <LinkButton variant="quiet" icon={<ShieldCheck aria-hidden size={20} />}>
                <span className="max-sm:sr-only">{t('Security')}</span>
              </LinkButton>
            </Link>
            <Button onClick={() => signOut()}>{t('Sign Out')}</Button>
          </>
        }
      >
        <SheetNavigation current={section} />
        <InOrder className="flex flex-1 flex-col gap-6">
          <Notices isFirst={section === ''} />
          {children({ restaurantName, email })}
        </InOrder>
      </Page>
    </RestoreProvider>
  )
}

/** What is only advised is said in the first section alone. */
function Notices({ isFirst }: { isFirst: boolean }): JSX.Element {
  const { notices, isLoaded } = useLoadedOwnerNotices()
  if (!isLoaded) return <NotYetLoaded />
  return <OwnerNotices notices={notices.filter(({ isAdvice }) => isFirst || !isAdvice)} />
}

/** The login leads back to the section. */
const loginPath = (section: SectionId): string =>
  section === '' ? '/demo-login' : `/demo-login?${new URLSearchParams({ returnTo: sectionPath(section) })}`
