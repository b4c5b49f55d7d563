import Bell from 'lucide-react/icons/bell'
import MessageSquare from 'lucide-react/icons/message-square'
import User from 'lucide-react/icons/user'
import { type JSX } from 'react'

export type DashboardView = 'me' | 'requests' | 'messages'

type NavigationBarProps = {
  view: DashboardView
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
  return (
    <nav aria-label="Sections" className="mx-auto flex max-w-3xl">
      {sections.map(
        ({ name, label, Icon }) =>
          (name !== 'messages' || unread !== null) && (
            <button
              key={name}
              type="button"
              aria-current={name === view ? 'page' : undefined}
              onClick={() => onView(name)}
              className="flex min-h-18 flex-1 flex-col items-center justify-center gap-1 text-[min(1rem,7vw)] text-text-mute select-none aria-[current]:text-text focus-visible:-outline-offset-4"
            >
              <span className="relative">
                <Icon aria-hidden />
                {name === 'messages' && Boolean(unread) && <UnreadCount unread={unread ?? 0} />}
              </span>
              {label}
              {name === 'messages' && Boolean(unread) && <span className="sr-only">{unread} new</span>}
            </button>
          ),
      )}
    </nav>
  )
}

function UnreadCount({ unread }: { unread: number }): JSX.Element {
  return (
    <span
      aria-hidden
      className="absolute -inset-e-4 -top-2 min-w-6 rounded-full bg-action px-1 text-sm font-bold text-on-action"
    >
      {unread > 99 ? '99+' : unread}
    </span>
  )
}
