import ChartColumn from 'lucide-react/icons/chart-column'
import Clock from 'lucide-react/icons/clock'
import FileText from 'lucide-react/icons/file-text'
import type { JSX, ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { t } from '../../lib/texts/translate.ts'
import { classNames } from '../../ui/class-names.ts'

export const paths = {
  now: '/management-dashboard',
  analytics: '/management-dashboard/analytics',
  report: '/management-dashboard/report',
} as const

const entries = [
  { path: paths.now, label: 'Now', icon: Clock },
  { path: paths.analytics, label: 'Analytics', icon: ChartColumn },
  { path: paths.report, label: 'Weekly report', icon: FileText },
]

/** The router ignores case and a trailing slash; an address that does not exist shows what is going on now. */
export function useNormalPath(): string {
  const [path] = useLocation()
  const normal = path.toLowerCase().replace(/\/$/u, '')
  return entries.some((entry) => entry.path === normal) ? normal : paths.now
}

type PortalNavProps = { path: string; /** At the end of the line. */ find: ReactNode }

export function PortalNav({ path, find }: PortalNavProps): JSX.Element {
  return (
    <div className="-my-2 flex flex-wrap items-center justify-between border-b border-rule print:hidden">
      <nav aria-label={t('Management Portal')} className="-mb-px flex flex-wrap">
        {entries.map(({ path: to, label, icon: Icon }) => (
          <Link
            key={to}
            href={to}
            aria-current={to === path ? 'page' : undefined}
            className={classNames(
              'inline-flex min-h-12 items-center gap-2 border-b-3 px-2 font-semibold sm:px-4',
              to === path ? 'border-action text-text' : 'border-transparent text-text-mute hover:text-text',
            )}
          >
            <Icon aria-hidden size={20} className="max-sm:hidden" />
            {t(label)}
          </Link>
        ))}
      </nav>
      {find}
    </div>
  )
}
