import QrCodeIcon from 'lucide-react/icons/qr-code'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type JSX, useId } from 'react'
import { api } from '#contract/api.ts'
import { type QrCode, qrFileName, readableLink } from '#contract/floor/qr.ts'
import { errorMessage } from '../../api/http.ts'
import { useQrCode } from '../../api/qr-code.ts'
import { useApiCache, useApiMutation } from '../../api/queries.ts'
import { useFocusOnChange } from '../../lib/hooks/use-focus-on-change.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { LoadError } from '../../ui/page/load-error.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { DownloadQrCode, QrPicture } from '../../ui/requests/qr-picture.tsx'
import { useOutcomeToast } from './subscription/use-outcome-toast.ts'
import { useGenerateCode } from './use-generate-code.ts'
import { useSignInRedirectOn } from './use-sign-in-redirect.ts'

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
    <Card title={t('Restaurant QR Code')} description={t('One code for the whole restaurant')}>
      <CurrentCode {...{ restaurantName, renewable }} />
      <div className="border-t border-rule pt-4">
        <h3 className="text-lg">{t('How to use it')}</h3>
        <ol className="mt-2 flex list-decimal flex-col gap-1 ps-6 marker:font-semibold marker:text-text-mute">
          {steps.map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
        </ol>
      </div>
    </Card>
  )
}

function CurrentCode({ restaurantName, renewable }: QrCodeCardProps): JSX.Element {
  const { data, error, isPending } = useQrCode()
  const { invalidate } = useApiCache()
  const signedOut = useSignInRedirectOn(error)
  const none = data === null
  const focusTarget = useFocusOnChange(none ? 'none' : data ? 'code' : null)
  if (isPending || signedOut) return <Spinner />
  return (
    <div ref={focusTarget} tabIndex={-1} className="outline-none">
      {none ? (
        <NoCode restaurantName={restaurantName} isPaid={renewable} />
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

function NoCode({ restaurantName, isPaid }: { restaurantName: string | null; isPaid: boolean }): JSX.Element {
  const reasonId = useId()
  const [drawing, generate] = useGenerateCode(restaurantName)

  return (
    <div className="flex flex-col items-center gap-4 rounded-control border border-dashed border-rule-strong px-4 py-8 text-center">
      <QrCodeIcon aria-hidden size={72} strokeWidth={1} className="text-text-mute" />
      <p className="font-display text-xl font-bold">{t('No QR Code Yet')}</p>
      <Button
        variant="primary"
        size={56}
        pending={drawing}
        disabled={!isPaid}
        aria-describedby={isPaid ? undefined : reasonId}
        onClick={generate}
      >
        {t('Generate QR Code')}
      </Button>
      {!isPaid && (
        <p id={reasonId} className="text-text-mute">
          {t('You need an active subscription to generate a QR code.')}
        </p>
      )}
    </div>
  )
}

function CodeDetails({ code, renewable }: { code: QrCode; renewable: boolean }): JSX.Element {
  const { restaurantId, qrCodeDataUrl, link } = code
  return (
    <div className="flex flex-col items-center gap-6 sm:flex-row sm:items-start">
      <QrPicture restaurantName={restaurantId} dataUrl={qrCodeDataUrl} size={300} />
      <div className="flex w-full min-w-0 flex-col gap-4">
        <div>
          <p className="font-semibold">{t('It leads to')}</p>
          <p className="text-text-mute wrap-anywhere">{readableLink(link)}</p>
        </div>
        <DownloadQrCode dataUrl={qrCodeDataUrl} fileName={qrFileName(restaurantId)} />
        <Regenerate renewable={renewable} />
      </div>
    </div>
  )
}

/** Printed codes count as unverified from then on, so deleting asks for confirmation. */
function Regenerate({ renewable }: { renewable: boolean }): JSX.Element {
  const change = useOutcomeToast()
  const remove = useApiMutation(api.qr.remove, api.qr.mine)
  const question = useDialog()

  async function regenerate(): Promise<void> {
    await change({
      send: () => remove.mutateAsync({}),
      successMessage: 'QR code deleted successfully',
      errorMessage: 'Failed to delete QR code',
    })
    question.close()
  }

  return (
    <>
      <Button icon={<RefreshCw aria-hidden size={20} />} onClick={() => question.open()}>
        {t('Regenerate')}
      </Button>
      <ConfirmDialog
        title={t('Delete this QR code?')}
        description={[
          t(
            'Codes that are printed already keep working, but your crew sees requests from them as unverified. That goes for the table cards, too, and their short links stop working.',
          ),
          t(
            renewable ? 'Then generate a new one.' : 'You need an active subscription to generate a new one.',
          ),
        ].join(' ')}
        open={question.isOpen}
        cancelLabel={t('Keep it')}
        confirmLabel={t('Regenerate')}
        danger
        pending={remove.isPending}
        locked
        onConfirm={() => void regenerate()}
        onCancel={question.close}
      />
    </>
  )
}
