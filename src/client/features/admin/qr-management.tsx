import Download from 'lucide-react/icons/download'
import QrCode from 'lucide-react/icons/qr-code'
import Settings from 'lucide-react/icons/settings-2'
import { Fragment, type JSX } from 'react'
import { Link } from 'wouter'
import { qrFileName, readableLink } from '#contract/floor/qr.ts'
import { useQrCode } from '../../api/qr-code.ts'
import { download } from '../../lib/browser/download.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { InOrder } from '../../ui/page/in-order.tsx'
import { LoadError } from '../../ui/page/load-error.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'

/** Only shows the code; it is made and deleted under Advanced Settings. */
export function QrManagement(): JSX.Element {
  const { data, error, refetch } = useQrCode()
  return (
    <Card title={t('QR Code Management')} description={t('Guests scan it to ask for service')}>
      <InOrder className="flex flex-1 flex-col gap-4">
        {data ? (
          <div className="flex flex-wrap items-center gap-4">
            <img
              src={data.qrCodeDataUrl}
              alt={t('QR code of {restaurant}', { restaurant: data.restaurantId })}
              width={112}
              height={112}
              className="rounded-control border border-rule bg-[white]"
            />
            <p className="min-w-0 flex-1 basis-40 text-text-mute wrap-anywhere">
              <Address link={data.link} />
            </p>
          </div>
        ) : data === null ? (
          <div className="flex items-center gap-4 rounded-control border border-dashed border-rule-strong p-4">
            <QrCode aria-hidden size={40} strokeWidth={1.25} className="shrink-0 text-text-mute" />
            <div>
              <p className="font-display text-lg font-bold">{t('No QR Code Yet')}</p>
              <p className="text-text-mute">{t('Generate it under Advanced Settings.')}</p>
            </div>
          </div>
        ) : error ? (
          <LoadError message="The QR code could not be loaded." onRetry={refetch} />
        ) : (
          <Spinner />
        )}
        <div className="mt-auto flex flex-wrap gap-3">
          {data && (
            <Button
              icon={<Download aria-hidden size={18} />}
              onClick={() => download(data.qrCodeDataUrl, qrFileName(data.restaurantId))}
            >
              {t('Download QR Code')}
            </Button>
          )}
          <Link href="/admin" asChild>
            <LinkButton icon={<Settings aria-hidden size={18} />}>{t('Advanced Settings')}</LinkButton>
          </Link>
        </div>
      </InOrder>
    </Card>
  )
}

/** Of the words in it, only one that is wider than its line breaks within. */
const Address = ({ link }: { link: string }): JSX.Element[] =>
  readableLink(link)
    .split(/(?<=[/?&=+])/u)
    .map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))
