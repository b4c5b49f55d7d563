import BellRing from 'lucide-react/icons/bell-ring'
import ConciergeBell from 'lucide-react/icons/concierge-bell'
import QrCode from 'lucide-react/icons/qr-code'
import Smartphone from 'lucide-react/icons/smartphone'
import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import { formatPrice } from '../../api/prices.ts'
import { paymentProvider } from '../../lib/browser/page-settings.ts'
import { t } from '../../lib/texts/translate.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { usePageFrame } from '../../ui/page/page.tsx'
import { MovingPicture } from './moving-picture.tsx'

const product = 'Tableside'

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

/** Where the installation offers it. */
type LandingProps = { tryDemo: ReactNode }

export function Landing({ tryDemo }: LandingProps): JSX.Element {
  const heading = usePageFrame('light')
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-7xl flex-col gap-8 px-4 pt-4 pb-10 sm:px-6 lg:gap-12">
      <title>{`${t('Restaurant Service Management')} · Tableside`}</title>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex items-center gap-3 font-display text-xl font-bold">
          <span className="grid size-10 place-items-center rounded-control bg-text text-ground">
            <ConciergeBell aria-hidden size={24} />
          </span>
          {product}
        </p>
        <Link href="/restaurant-login" asChild>
          <LinkButton>{t('Restaurant Login')}</LinkButton>
        </Link>
      </header>
      <main className="flex flex-1 flex-col justify-center gap-8 lg:gap-12">
        <div className="flex flex-col gap-4">
          <h1
            ref={heading}
            tabIndex={-1}
            className="text-[clamp(1.625rem,12vw,2.5rem)] leading-tight wrap-break-word outline-none sm:text-4xl lg:text-[clamp(3.5rem,6.7vw,5.125rem)] lg:leading-none"
          >
            {t('Restaurant Service Management')}
          </h1>
          <div className="grid grid-cols-1 items-start gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_auto]">
            <p className="max-w-xl text-xl text-text-mute">
              {t('Guests scan a QR code to request service, and your staff is notified instantly.')}
            </p>
            <div className="flex flex-col gap-3">
              <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
                <div className="w-full sm:w-64">
                  <Link href="/restaurant-signup" asChild>
                    <LinkButton variant="primary" size={56} wide>
                      {t('Create account')}
                    </LinkButton>
                  </Link>
                </div>
                {paymentProvider() !== 'off' && (
                  <p className="text-text-mute">
                    {t('{monthly} or {yearly}', {
                      monthly: formatPrice('monthly'),
                      yearly: formatPrice('yearly'),
                    })}
                  </p>
                )}
              </div>
              {tryDemo}
            </div>
          </div>
        </div>
        <MovingPicture />
        <ul className="grid grid-cols-1 gap-4 md:grid-cols-3">
          {features.map(({ title, text, icon }) => (
            <li key={title} className="flex flex-col gap-2 rounded-ticket border border-rule bg-plate p-6">
              <span className="text-action">{icon}</span>
              <h2 className="text-xl">{t(title)}</h2>
              <p className="text-text-mute">{t(text)}</p>
            </li>
          ))}
        </ul>
        <div className="max-w-sm">
          <LanguageSelect />
        </div>
      </main>
    </div>
  )
}
