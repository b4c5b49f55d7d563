import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { JSX, ReactNode } from 'react'

type NoticeProps = {
  children: ReactNode
  /** What can be done about it. */
  action?: ReactNode
}

/** Something that the owner should do something about. */
export function Notice({ children, action }: NoticeProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border border-late bg-plate-late px-4 py-3 sm:px-6">
      <TriangleAlert aria-hidden className="shrink-0 text-late" />
      <p className="min-w-48 flex-1 font-semibold">{children}</p>
      {action}
    </div>
  )
}
