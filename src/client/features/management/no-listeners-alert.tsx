import EarOff from 'lucide-react/icons/ear-off'
import { type JSX, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { LinkButton } from '../../ui/link-button.tsx'

/** `screens`: how many listen; null until the server said so. */
type NoListenersAlertProps = { screens: number | null; ring: () => void }

/** Rings when the last listening screen goes away, not for what was so before this page opened. */
export function NoListenersAlert({ screens, ring }: NoListenersAlertProps): JSX.Element {
  const before = useRef<number | null>(null)
  useEffect(() => {
    if (screens === 0 && before.current !== null && before.current > 0) ring()
    before.current = screens
  }, [screens, ring])

  return (
    <div role="alert" className="contents">
      {screens === 0 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border-2 border-late bg-plate-late px-4 py-3 sm:px-6">
          <EarOff aria-hidden size={28} className="shrink-0 text-late" />
          <div className="min-w-[min(12rem,100%)] flex-1">
            <p className="font-display text-xl font-bold">Nobody is listening</p>
            <p>No crew screen is listening right now. Guests are told to wave.</p>
          </div>
          <Link href="/waiter" asChild>
            <LinkButton variant="primary">Open Crew Dashboard</LinkButton>
          </Link>
        </div>
      )}
    </div>
  )
}
