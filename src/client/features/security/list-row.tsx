import type { JSX, ReactNode } from 'react'

type ListRowProps = { name: string; badges?: ReactNode; details: ReactNode; children: ReactNode }

/** One device, sign-in or passkey: its name, what is known of it, and the buttons to change it. */
export function ListRow({ name, badges, details, children }: ListRowProps): JSX.Element {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-3">
      <div className="min-w-[min(12rem,100%)] flex-1 wrap-anywhere">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold">
          {name}
          {badges}
        </p>
        <p className="text-text-mute first-letter:uppercase">{details}</p>
      </div>
      {children}
    </li>
  )
}
