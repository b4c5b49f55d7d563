import Download from 'lucide-react/icons/download'
import QrCode from 'lucide-react/icons/qr-code'
import Settings from 'lucide-react/icons/settings-2'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { qrFileName, shortLink } from '#contract/qr.ts'
import { ApiError } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { LoadError } from '../../ui/load-error.tsx'

/** Only shows the code; it is made and deleted under Advanced Settings. */
export function QrManagement(): JSX.Element {
  const { data, error, refetch } = useFreshApiQuery(api.qr.mine, {})
  const none = error instanceof ApiError && error.status === 404
  return (
    <Card title="QR Code Management" description="Guests scan it to ask for service">
      {data ? (
        <div className="flex flex-wrap items-center gap-4">
          <img
            src={data.qrCodeDataUrl}
            alt={`QR code of ${data.restaurantId}`}
            width={112}
            height={112}
            className="rounded-control border border-rule bg-[white]"
          />
          <p className="min-w-0 flex-1 basis-40 text-text-mute wrap-anywhere">{shortLink(data.link)}</p>
        </div>
      ) : none ? (
        <div className="flex items-center gap-4 rounded-control border border-dashed border-rule-strong p-4">
          <QrCode aria-hidden size={40} strokeWidth={1.25} className="shrink-0 text-text-mute" />
          <div>
            <p className="font-display text-lg font-bold">No QR Code Yet</p>
            <p className="text-text-mute">Generate it under Advanced Settings.</p>
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
            Download QR Code
          </Button>
        )}
        <Link href="/admin" asChild>
          <LinkButton icon={<Settings aria-hidden size={18} />}>Advanced Settings</LinkButton>
        </Link>
      </div>
    </Card>
  )
}
