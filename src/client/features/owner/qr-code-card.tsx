import Download from 'lucide-react/icons/download'
import QrCodeIcon from 'lucide-react/icons/qr-code'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type JSX, type ReactNode, useState } from 'react'
import { api } from '#contract/api.ts'
import { type QrCode, qrFileName, shortLink } from '#contract/qr.ts'
import { ApiError, errorMessage } from '../../api/http.ts'
import { useApiQuery, useApiCache, useApiMutation } from '../../api/queries.ts'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useErrorToast, useToast } from '../../ui/toast.tsx'
import { useFocusOnChange } from './use-focus-on-change.ts'
import { useReportError, useSignInRedirectOn } from './use-sign-in-redirect.ts'

const steps = [
  'Download the QR code and print it',
  'Place it on your tables',
  'Guests scan it to request service',
  'Requests appear on the Crew Dashboard',
]

type QrCodeCardProps = {
  restaurantName: string | null
  /** Whether a deleted code can be generated again. */
  renewable: boolean
}

export function QrCodeCard({ restaurantName, renewable }: QrCodeCardProps): JSX.Element {
  return (
    <Card title="Restaurant QR Code" description="One code for the whole restaurant">
      <CurrentCode {...{ restaurantName, renewable }} />
      <div className="border-t border-rule pt-4">
        <h3 className="text-lg">How to use it</h3>
        <ol className="mt-2 flex list-decimal flex-col gap-1 ps-6 marker:font-semibold marker:text-text-mute">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </div>
    </Card>
  )
}

function CurrentCode({ restaurantName, renewable }: QrCodeCardProps): JSX.Element {
  const { data, error, isPending } = useApiQuery(api.qr.mine, {})
  const { invalidate } = useApiCache()
  const signedOut = useSignInRedirectOn(error)
  // A 404 on a refetch means that the code was deleted, even if older data is still cached.
  const none = error instanceof ApiError && error.status === 404
  const focusTarget = useFocusOnChange(none ? 'none' : data ? 'code' : null)
  if (isPending || signedOut) return <Spinner />
  return (
    <div ref={focusTarget} tabIndex={-1} className="outline-none">
      {none ? (
        <NoCode restaurantName={restaurantName} />
      ) : data ? (
        <CodeDetails code={data} renewable={renewable} />
      ) : (
        <LoadError
          message={errorMessage(error, 'The QR code could not be loaded.')}
          onRetry={() => invalidate(api.qr.mine)}
        />
      )}
    </div>
  )
}

function NoCode({ restaurantName }: { restaurantName: string | null }): JSX.Element {
  const { toast } = useToast()
  const showError = useErrorToast()
  const reportError = useReportError()
  const generate = useApiMutation(api.qr.generate, api.qr.mine)
  const [drawing, setDrawing] = useState(false)

  async function make(): Promise<void> {
    if (restaurantName === null) return showError('Restaurant name not set')
    setDrawing(true)
    try {
      const { drawQrCode } = await import('./draw-qr-code.ts')
      const link = `${location.origin}/customer?${new URLSearchParams({ r: restaurantName })}`
      await generate.mutateAsync({
        body: { restaurantId: restaurantName, qrCodeDataUrl: drawQrCode(link) },
      })
      toast({ title: 'Success', description: 'QR code generated successfully' })
    } catch (error) {
      reportError(error, errorMessage(error, 'Failed to generate QR code'))
    } finally {
      setDrawing(false)
    }
  }

  return (
    <div className="flex flex-col items-center gap-4 rounded-control border border-dashed border-rule-strong px-4 py-8 text-center">
      <QrCodeIcon aria-hidden size={72} strokeWidth={1} className="text-text-mute" />
      <p className="font-display text-xl font-bold">No QR Code Yet</p>
      <Button variant="primary" size={56} pending={drawing} onClick={() => void make()}>
        Generate QR Code
      </Button>
    </div>
  )
}

function CodeDetails({ code, renewable }: { code: QrCode; renewable: boolean }): JSX.Element {
  const { restaurantId, qrCodeDataUrl, link } = code
  return (
    <div className="flex flex-col items-center gap-6 sm:flex-row sm:items-start">
      <img
        src={qrCodeDataUrl}
        alt={`QR code of ${restaurantId}`}
        width={300}
        height={300}
        className="h-auto max-w-full rounded-control border border-rule bg-[white]"
      />
      <div className="flex w-full min-w-0 flex-col gap-4">
        <div>
          <p className="font-semibold">It leads to</p>
          <p className="text-text-mute wrap-anywhere">{shortLink(link)}</p>
        </div>
        <Button
          variant="primary"
          icon={<Download aria-hidden size={20} />}
          onClick={() => download(qrCodeDataUrl, qrFileName(restaurantId))}
        >
          Download QR Code
        </Button>
        <Regenerate renewable={renewable} />
      </div>
    </div>
  )
}

/** Printed codes count as unverified from then on, so deleting asks for confirmation. */
function Regenerate({ renewable }: { renewable: boolean }): JSX.Element {
  const { toast } = useToast()
  const reportError = useReportError()
  const remove = useApiMutation(api.qr.remove, api.qr.mine)
  const [asking, setAsking] = useState(false)

  async function regenerate(): Promise<void> {
    try {
      await remove.mutateAsync({})
      toast({ title: 'Success', description: 'QR code deleted successfully' })
    } catch (error) {
      reportError(error, 'Failed to delete QR code')
    } finally {
      setAsking(false)
    }
  }

  const warning: ReactNode = renewable
    ? 'Then generate a new one.'
    : 'You need an active subscription to generate a new one.'
  return (
    <>
      <Button icon={<RefreshCw aria-hidden size={20} />} onClick={() => setAsking(true)}>
        Regenerate
      </Button>
      <ConfirmDialog
        title="Delete this QR code?"
        description={
          <>
            Codes that are printed already keep working, but your crew sees requests from them as unverified.
            That goes for the table cards, too. {warning}
          </>
        }
        open={asking}
        cancelLabel="Keep it"
        confirmLabel="Regenerate"
        danger
        pending={remove.isPending}
        locked
        onConfirm={() => void regenerate()}
        onCancel={() => setAsking(false)}
      />
    </>
  )
}
