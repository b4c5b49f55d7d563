import Download from 'lucide-react/icons/download'
import type { JSX } from 'react'
import { download } from '../../lib/browser/download.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../button.tsx'

type QrPictureProps = { restaurantName: string; dataUrl: string; size: number }

/** As large as the server has drawn it. Fine screens keep its edges sharp. */
const drawnSize = 300

/** Drawn at its exact size: a border would take some of it. */
export const QrPicture = ({ restaurantName, dataUrl, size }: QrPictureProps): JSX.Element => (
  <img
    src={dataUrl}
    alt={t('QR code of {name}', { name: restaurantName })}
    width={size}
    height={size}
    style={size < drawnSize ? undefined : { imageRendering: 'pixelated' }}
    className="h-auto max-w-full rounded-control bg-[white] [box-shadow:0_0_0_1px_var(--rule)]"
  />
)

type DownloadQrCodeProps = { dataUrl: string; fileName: string }

export const DownloadQrCode = ({ dataUrl, fileName }: DownloadQrCodeProps): JSX.Element => (
  <Button
    variant="primary"
    icon={<Download aria-hidden size={20} />}
    onClick={() => download(dataUrl, fileName)}
  >
    {t('Download QR Code')}
  </Button>
)
