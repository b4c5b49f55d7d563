import { type ComponentType, type JSX, useEffect, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { AdminFrame } from '../features/admin/frame.tsx'
import type { SectionId } from '../features/admin/navigation.tsx'
import { type LazyComponent, lazyPage } from '../lib/hooks/lazy.tsx'
import { Spinner } from '../ui/page/spinner.tsx'

const AuditLog = lazyPage(async () => {
  const { ActivityCard } = await import('../features/security/activity-card.tsx')
  return () => <AdminFrame section="audit-log">{() => <ActivityCard most={15} />}</AdminFrame>
})

/** The sections of the Admin Portal, by the last part of their address. */
const pages: Record<string, LazyComponent> = {
  '': lazyPage(async () => (await import('../features/admin/admin-portal.tsx')).AdminPortal),
  floor: lazyPage(async () => (await import('../features/admin/pages/floor.tsx')).FloorPage),
  crew: lazyPage(async () => (await import('../features/admin/pages/crew.tsx')).CrewPage),
  codes: lazyPage(async () => (await import('../features/admin/pages/codes.tsx')).CodesPage),
  needs: lazyPage(async () => (await import('../features/admin/pages/needs.tsx')).NeedsPage),
  alerts: lazyPage(async () => (await import('../features/admin/pages/alerts.tsx')).AlertsPage),
  billing: lazyPage(async () => (await import('../features/admin/pages/billing.tsx')).BillingPage),
  people: lazyPage(async () => (await import('../features/admin/pages/people.tsx')).PeoplePage),
  settings: lazyPage(async () => (await import('../features/admin/pages/settings.tsx')).SettingsPage),
  'audit-log': AuditLog,
} satisfies Record<SectionId, LazyComponent>

const sectionOf = (path: string): string => path.toLowerCase().split('/')[2] ?? ''

/** With the section that is opened first. */
export async function loadAdmin(): Promise<ComponentType> {
  await pages[sectionOf(location.pathname)]?.load()
  return Admin
}

/** The current section stays until the next one has loaded. */
function Admin(): JSX.Element {
  const [path] = useLocation()
  const wanted = sectionOf(path)
  const [shown, setShown] = useState(wanted)
  const isKnown = wanted in pages
  useEffect(() => {
    let isWanted = true
    const show = (): void => {
      if (isWanted) setShown(wanted)
    }
    void pages[wanted]?.load().then(show, show)
    return () => {
      isWanted = false
    }
  }, [wanted])
  if (!isKnown) return <Redirect to="/admin-dashboard" replace />
  const Page = pages[shown]
  return Page ? <Page key={shown} /> : <Spinner />
}
