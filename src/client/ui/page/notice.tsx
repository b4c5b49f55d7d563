import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { JSX, ReactNode } from 'react'
import { classNames } from '../class-names.ts'

type NoticeProps = {
  /** `late`: something is wrong that somebody should do something about. */
  tone?: 'late' | 'plain'
  /** Read aloud as soon as it is there. */
  urgent?: boolean
  children: ReactNode
  /** What can be done about it. */
  action?: ReactNode
}

/** Something to know before anything else on the screen. */
export function Notice({ tone = 'late', urgent = false, children, action }: NoticeProps): JSX.Element {
  const late = tone === 'late'
  const Icon = late ? TriangleAlert : Info
  return (
    <div
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border px-4 py-3 sm:px-6',
        late ? 'border-late bg-plate-late' : 'border-rule-strong bg-plate-2',
      )}
    >
      <Icon aria-hidden className={classNames('shrink-0', late ? 'text-late' : 'text-action')} />
      <p role={urgent ? 'alert' : undefined} className="min-w-[min(12rem,100%)] flex-1 font-semibold">
        {children}
      </p>
      {action}
    </div>
  )
}
