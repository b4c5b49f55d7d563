import BellRing from 'lucide-react/icons/bell-ring'
import QrCode from 'lucide-react/icons/qr-code'
import Smartphone from 'lucide-react/icons/smartphone'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { LinkButton } from '../../ui/link-button.tsx'
import { usePageFrame } from '../../ui/page.tsx'
import { TicketRail } from './ticket-rail.tsx'

const features = [
  {
    title: 'QR Code Tables',
    text: 'Guests scan the code on their table with the phone they already carry.',
    icon: <QrCode aria-hidden size={28} />,
  },
  {
    title: 'Instant Alerts',
    text: 'Every request reaches your crew at once: with a sound, and the table in large figures.',
    icon: <BellRing aria-hidden size={28} />,
  },
  {
    title: 'No App Needed',
    text: 'Nothing to install and no account to make. The page opens in any browser.',
    icon: <Smartphone aria-hidden size={28} />,
  },
]

export function Landing(): JSX.Element {
  const heading = usePageFrame('light')
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-7xl flex-col justify-center gap-10 px-4 py-10 sm:px-6 lg:gap-16">
      <title>Restaurant Service Management · Tableside</title>
      <div className="grid grid-cols-1 items-center gap-10 lg:grid-cols-2 lg:gap-16">
        <div className="flex flex-col items-start gap-6">
          <h1 ref={heading} tabIndex={-1} className="text-3xl wrap-break-word outline-none sm:text-4xl">
            Restaurant Service Management
          </h1>
          <p className="max-w-md text-xl text-text-mute">
            Guests scan a QR code to request service, and your staff is notified instantly.
          </p>
          <Link href="/restaurant-login" asChild>
            <LinkButton variant="primary" size={56}>
              Restaurant Login
            </LinkButton>
          </Link>
        </div>
        <TicketRail />
      </div>
      <ul className="grid grid-cols-1 gap-4 md:grid-cols-3">
        {features.map(({ title, text, icon }) => (
          <li key={title} className="flex flex-col gap-2 rounded-ticket border border-rule bg-plate p-6">
            <span className="text-action">{icon}</span>
            <h2 className="text-xl">{title}</h2>
            <p className="text-text-mute">{text}</p>
          </li>
        ))}
      </ul>
    </main>
  )
}
