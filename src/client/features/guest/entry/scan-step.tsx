import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import { type JSX, useEffect, useRef } from 'react'
import type { LoadDecoder } from '../../../lib/scanner/code-scanner.ts'
import { canScanFile } from '../../../lib/scanner/scanner-flow.ts'
import { useCodeScanner } from '../../../lib/scanner/use-code-scanner.ts'
import { t } from '../../../lib/texts/translate.ts'
import { StepTitle } from './step-title.tsx'

const noCameraText = 'Unable to access camera. Please check permissions or enter table number manually.'
const noCodeText =
  'No QR code was found in this picture. Please try another one or enter your table number manually.'

type ScanStepProps = {
  takesFocus: boolean
  /** With the last scanned code, or with the camera. */
  problem: string | null
  onProblem: (problem: string | null) => void
  onScanned: (content: string) => void
  onManual: () => void
}

export function ScanStep({
  takesFocus,
  problem,
  onProblem,
  onScanned,
  onManual,
}: ScanStepProps): JSX.Element {
  const { scanner, video, start, stop, switchCamera, scanFile } = useTableScanner(onScanned, onProblem)
  const started = scanner !== 'not-started'
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>{t('Scan QR Code')}</StepTitle>
      <p className="lead">{t("Point your camera at the table's QR code")}</p>
      <div className="camera" hidden={!started}>
        <video ref={video} muted playsInline />
        <span className="scan-box" />
      </div>
      {!started && (
        <div className="idle">
          <ScanQrCode aria-hidden size={120} />
        </div>
      )}
      <div className="low">
        {problem !== null && (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
        {started ? (
          <ScanningButtons onSwitch={switchCamera} onStop={stop} />
        ) : (
          <StartButtons
            canScanFile={canScanFile(scanner)}
            onFile={(file) => void scanFile(file)}
            onManual={onManual}
            onStart={start}
          />
        )}
      </div>
    </main>
  )
}

function ScanningButtons({
  onSwitch,
  onStop,
}: {
  /** Undefined when there is only one camera. */
  onSwitch: (() => void) | undefined
  onStop: () => void
}): JSX.Element {
  return (
    <>
      {onSwitch && (
        <button type="button" className="outline" onClick={onSwitch}>
          {t('Switch camera')}
        </button>
      )}
      <button type="button" className="outline" onClick={onStop}>
        {t('Cancel')}
      </button>
    </>
  )
}

type StartButtonsProps = {
  canScanFile: boolean
  onFile: (file: File) => void
  onManual: () => void
  onStart: () => void
}

function StartButtons({ canScanFile, onFile, onManual, onStart }: StartButtonsProps): JSX.Element {
  return (
    <>
      <label className="outline js-only">
        {t('Scan from a picture')}
        <input
          type="file"
          accept="image/*"
          disabled={!canScanFile}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            target.value = ''
            if (file) onFile(file)
          }}
        />
      </label>
      <form
        action="/customer"
        onSubmit={(event) => {
          event.preventDefault()
          onManual()
        }}
      >
        <button className="outline" name="manual" value="1">
          {t('Enter Table Number Manually')}
        </button>
      </form>
      <p className="or js-only">{t('Or')}</p>
      <button type="button" className="primary js-only" data-early="" onClick={onStart}>
        <ScanQrCode aria-hidden size={32} />
        {t('Start Scanning')}
      </button>
    </>
  )
}

/** The scanner and its large decoder are loaded on first use. */
function useTableScanner(onScanned: (content: string) => void, onProblem: (problem: string | null) => void) {
  const { scanner, video, start, stop, switchCamera } = useCodeScanner({
    onFound: onScanned,
    onFail: () => onProblem(t(noCameraText)),
    loadBetterDecoder,
  })
  const startAnew = (): void => {
    onProblem(null)
    start()
  }
  const begin = useRef(startAnew)
  useEffect(() => {
    // Tapped before the app had loaded.
    if (document.querySelector('[data-early=tapped]')) begin.current()
  }, [])
  const scanFile = async (file: File): Promise<void> => {
    onProblem(null)
    const content = await import('../../../lib/scanner/code-scanner.ts')
      .then(({ decodePicture }) => decodePicture(file, loadBetterDecoder))
      .catch(() => null)
    if (content === null) onProblem(t(noCodeText))
    else onScanned(content)
  }
  return { scanner, video, start: startAnew, stop, scanFile, switchCamera }
}

const loadBetterDecoder: LoadDecoder = async () => (await import('./wasm-decoder.ts')).decode
