import Download from 'lucide-react/icons/download'
import QrCodeIcon from 'lucide-react/icons/qr-code'
import Settings from 'lucide-react/icons/settings'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { type QrCode, qrFileName } from '#contract/qr.ts'
import { ApiError } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { SpinnerIcon } from '../../ui/spinner.tsx'
import { QueryError } from './query-error.tsx'

const steps = [
  'Print the QR code',
  'Place it on your tables',
  'Customers scan it to request service',
  'Requests appear in the Crew Dashboard',
]

export function QrCodeManagement(): JSX.Element {
  const { data, error, isPending, refetch } = useFreshApiQuery(api.qr.mine, {})
  const none = error instanceof ApiError && error.status === 404
  return (
    <Card title="QR Code Management" description="The code that your customers scan">
      {isPending && (
        <p role="status" className="flex items-center justify-center gap-3 py-10 text-text-mute">
          <SpinnerIcon /> Generating QR code...
        </p>
      )}
      {none && <NoCode />}
      {error && !none && (
        <QueryError error={error} fallback="The QR code could not be loaded." onRetry={refetch} />
      )}
      {data && !error && <Code code={data} />}
      <div className="mt-auto border-t border-rule pt-4">
        <Link href="/admin" asChild>
          <LinkButton icon={<Settings aria-hidden size={20} />}>Advanced Settings</LinkButton>
        </Link>
      </div>
    </Card>
  )
}

function Code({ code: { restaurantId, qrCodeDataUrl } }: { code: QrCode }): JSX.Element {
  return (
    <div className="flex flex-wrap items-start justify-center gap-6">
      <img
        src={qrCodeDataUrl}
        alt={`QR code of ${restaurantId}`}
        width={192}
        height={192}
        className="size-48 rounded-control ring-1 ring-rule bg-[white]"
      />
      <div className="flex min-w-52 flex-1 flex-col gap-4">
        <ol className="flex list-decimal flex-col gap-1 ps-6 marker:font-semibold marker:text-text-mute">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <div>
          <Button
            variant="primary"
            icon={<Download aria-hidden size={20} />}
            onClick={() => download(qrCodeDataUrl, qrFileName(restaurantId))}
          >
            Download QR Code
          </Button>
        </div>
      </div>
    </div>
  )
}

function NoCode(): JSX.Element {
  return (
    <div className="flex flex-col items-center gap-3 rounded-control border border-dashed border-rule-strong px-4 py-8 text-center">
      <QrCodeIcon aria-hidden size={56} strokeWidth={1} className="text-text-mute" />
      <p className="font-display text-xl font-bold">No QR Code Yet</p>
      <p className="text-text-mute">The owner makes it under Advanced Settings.</p>
    </div>
  )
}
