import BellRing from 'lucide-react/icons/bell-ring'
import CreditCard from 'lucide-react/icons/credit-card'
import HandPlatter from 'lucide-react/icons/hand-platter'
import KeyRound from 'lucide-react/icons/key-round'
import LayoutDashboard from 'lucide-react/icons/layout-dashboard'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import Menu from 'lucide-react/icons/menu'
import QrCode from 'lucide-react/icons/qr-code'
import ScrollText from 'lucide-react/icons/scroll-text'
import Settings from 'lucide-react/icons/settings'
import Users from 'lucide-react/icons/users'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { keysOf } from '#contract/keys-of.ts'
import { t } from '../../lib/texts/translate.ts'
import { classNames } from '../../ui/class-names.ts'
import { Drawer } from '../../ui/dialogs/drawer.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { useRootAttribute } from '../../ui/use-root-attribute.ts'

/** The sections of the Admin Portal, by the last part of their address. */
const sections = {
  '': ['Overview', LayoutDashboard],
  floor: ['Floor', LayoutGrid],
  crew: ['Crew', Users],
  codes: ['Codes', QrCode],
  needs: ['Needs', HandPlatter],
  alerts: ['Alerts', BellRing],
  billing: ['Billing', CreditCard],
  people: ['People and access', KeyRound],
  settings: ['Settings', Settings],
  'audit-log': ['Audit log', ScrollText],
} as const

export type SectionId = keyof typeof sections
const ids = keysOf(sections)

export const sectionName = (id: SectionId): string => t(sections[id][0])
export const sectionPath = (id: SectionId): string => `/admin-dashboard${id && `/${id}`}`

type NavigationProps = { current: SectionId }

/** Beside the section on a wide screen. */
export function SideNavigation({ current }: NavigationProps): JSX.Element {
  return (
    <nav
      aria-label={t('Admin Portal')}
      className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-e border-rule bg-plate px-3 py-6 lg:flex"
    >
      <p className="px-3 font-display text-xl font-bold">{t('Admin Portal')}</p>
      <SectionLinks current={current} />
    </nav>
  )
}

/** On a phone one line that stays in view, which opens a sheet with all sections. */
export function SheetNavigation({ current }: NavigationProps): JSX.Element {
  const drawer = useDialog()
  useRootAttribute('data-bar', true)
  return (
    <div className="sticky top-0 z-10 -mx-edge -my-2 border-b border-rule bg-ground px-2 py-1 sm:-mx-6 sm:px-4 lg:hidden">
      <Drawer
        title={t('Admin Portal')}
        {...drawer.props}
        trigger={
          <button
            type="button"
            className="flex min-h-11 items-center gap-3 rounded-control px-2 font-semibold hover:bg-current/10"
          >
            <Menu aria-hidden size={22} />
            {t('All sections')}
          </button>
        }
      >
        <nav aria-label={t('Admin Portal')} className="-mx-3">
          <SectionLinks current={current} onChoose={drawer.close} />
        </nav>
      </Drawer>
    </div>
  )
}

function SectionLinks({ current, onChoose }: { current: SectionId; onChoose?: () => void }): JSX.Element {
  return (
    <ul className="flex flex-col gap-1">
      {ids.map((id) => {
        const Icon = sections[id][1]
        const isCurrent = id === current
        return (
          <li key={id}>
            <Link
              href={sectionPath(id)}
              {...(onChoose && { onClick: onChoose })}
              aria-current={isCurrent ? 'page' : undefined}
              className={classNames(
                'flex min-h-11 min-w-0 items-center gap-3 rounded-control px-3 py-2 leading-tight hover:bg-plate-2',
                isCurrent ? 'bg-plate-2 font-bold' : 'text-text-mute hover:text-text',
              )}
            >
              <Icon aria-hidden size={20} className="shrink-0" />
              <span className="min-w-0 wrap-anywhere">{sectionName(id)}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
