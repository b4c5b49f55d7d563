import QrCodeIcon from 'lucide-react/icons/qr-code'
import Settings from 'lucide-react/icons/settings'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { type QrCode, qrFileName } from '#contract/floor/qr.ts'
import { useQrCode } from '../../api/qr-code.ts'
import { t } from '../../lib/texts/translate.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { InOrder } from '../../ui/page/in-order.tsx'
import { SpinnerIcon } from '../../ui/page/spinner.tsx'
import { DownloadQrCode, QrPicture } from '../../ui/requests/qr-picture.tsx'
import { QueryError } from './query-error.tsx'

const steps = [
  'Print the QR code',
  'Place it on your tables',
  'Customers scan it to request service',
  'Requests appear in the Crew Dashboard',
]

export function QrCodeManagement(): JSX.Element {
  const { data, error, isPending, refetch } = useQrCode()
  return (
    <Card
      title={t('QR Code Management')}
      anchor="qr-code"
      description={t('The code that your customers scan')}
    >
      <InOrder className="flex flex-1 flex-col gap-4">
        {isPending && (
          <p
            role="status"
            data-loading
            className="flex items-center justify-center gap-3 py-10 text-text-mute"
          >
            <SpinnerIcon /> {t('Generating QR code...')}
          </p>
        )}
        {data === null && !error && <NoCode />}
        {error && <QueryError error={error} fallback="The QR code could not be loaded." onRetry={refetch} />}
        {data && !error && <Code code={data} />}
        <div className="mt-auto sm:border-t sm:border-rule sm:pt-3">
          <Link href="/admin" asChild>
            <LinkButton icon={<Settings aria-hidden size={20} />}>{t('Advanced Settings')}</LinkButton>
          </Link>
        </div>
      </InOrder>
    </Card>
  )
}

function Code({ code: { restaurantId, qrCodeDataUrl } }: { code: QrCode }): JSX.Element {
  return (
    <div className="flex flex-wrap items-start justify-center gap-4">
      {/* On a phone the steps stand beside it. */}
      <div className="w-28 sm:w-48">
        <QrPicture restaurantName={restaurantId} dataUrl={qrCodeDataUrl} size={192} />
      </div>
      <div className="min-w-[min(11rem,100%)] flex-1">
        <ol className="flex list-decimal flex-col gap-1 ps-6 marker:font-semibold marker:text-text-mute">
          {steps.map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
        </ol>
      </div>
      <div className="w-full">
        <DownloadQrCode dataUrl={qrCodeDataUrl} fileName={qrFileName(restaurantId)} />
      </div>
    </div>
  )
}

function NoCode(): JSX.Element {
  return (
    <div className="flex flex-col items-center gap-3 rounded-control border border-dashed border-rule-strong px-4 py-8 text-center">
      <QrCodeIcon aria-hidden size={56} strokeWidth={1} className="text-text-mute" />
      <p className="font-display text-xl font-bold">{t('No QR Code Yet')}</p>
      <p className="text-text-mute">{t('The owner makes it under Advanced Settings.')}</p>
    </div>
  )
}
