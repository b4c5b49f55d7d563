import Bell from 'lucide-react/icons/bell'
import MessageSquare from 'lucide-react/icons/message-square'
import User from 'lucide-react/icons/user'
import { type JSX } from 'react'
import { useMarked } from '../../lib/hooks/use-marked.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { coversBottom } from './covers.ts'

export type DashboardView = 'me' | 'requests' | 'messages'

type NavigationBarProps = {
  view: DashboardView
  /** Called after the tap has been painted. */
  onView: (view: DashboardView) => void
  /** Null while there is no messages section. */
  unread: number | null
}

const sections = [
  { name: 'me', label: 'Me', Icon: User },
  { name: 'requests', label: 'Requests', Icon: Bell },
  { name: 'messages', label: 'Messages', Icon: MessageSquare },
] as const

/** Switches between sections on screens where only one fits. */
export function NavigationBar({ view, onView, unread }: NavigationBarProps): JSX.Element {
  const [marked, choose] = useMarked(view, onView)
  return (
    <div ref={coversBottom} className="crew-nav">
      <nav aria-label={t('Sections')}>
        {sections.map(
          ({ name, label, Icon }) =>
            (name !== 'messages' || unread !== null) && (
              <button
                key={name}
                type="button"
                aria-current={name === marked ? 'page' : undefined}
                onClick={() => choose(name)}
              >
                <span className="relative">
                  <Icon aria-hidden />
                  {name === 'messages' && Boolean(unread) && <UnreadCount unread={unread ?? 0} />}
                </span>
                {t(label)}
                {name === 'messages' && Boolean(unread) && (
                  <span className="sr-only">{plural(unread ?? 0, '{count} new', '{count} new')}</span>
                )}
              </button>
            ),
        )}
      </nav>
    </div>
  )
}

function UnreadCount({ unread }: { unread: number }): JSX.Element {
  return (
    <span
      aria-hidden
      className="absolute -inset-e-4 -top-2 min-w-5 rounded-full bg-text px-1 text-center text-sm font-bold text-ground"
    >
      {unread > 99 ? '99+' : unread}
    </span>
  )
}
