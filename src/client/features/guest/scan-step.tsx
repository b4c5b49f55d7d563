import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import { type Dispatch, type JSX, useEffect, useReducer, useRef, useState } from 'react'
import type { CodeScanner } from './code-scanner.ts'
import { canScanFile, type ScannerEvent, scannerReducer } from './scanner-flow.ts'
import { StepTitle } from './step-title.tsx'

const noCameraText = 'Unable to access camera. Please check permissions or enter table number manually.'
const noCodeText =
  'No QR code was found in this picture. Please try another one or enter your table number manually.'
/** The camera needs a moment after the page was hidden. */
const resumeDelayMs = 200

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
  const { scanner, video, start, stop, switchCamera, scanFile } = useCodeScanner(onScanned, onProblem)
  const started = scanner !== 'not-started'
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>Scan QR Code</StepTitle>
      <p className="lead">Point your camera at the table's QR code</p>
      <div className="camera" hidden={!started}>
        <video ref={video} muted playsInline />
        <span className="scan-box" />
      </div>
      {!started && (
        <div className="idle">
          <ScanQrCode aria-hidden size={120} strokeWidth={1} />
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
          Switch camera
        </button>
      )}
      <button type="button" className="outline" onClick={onStop}>
        Cancel
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
        Scan from a picture
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
          Enter Table Number Manually
        </button>
      </form>
      <p className="or js-only">Or</p>
      <button type="button" className="primary js-only" data-early="" onClick={onStart}>
        <ScanQrCode aria-hidden size={32} />
        Start Scanning
      </button>
    </>
  )
}

/** Starts and stops the camera with the reducer's state; the scanner's code is loaded on first use. */
function useCodeScanner(onScanned: (content: string) => void, onProblem: (problem: string | null) => void) {
  const [scanner, dispatch] = useReducer(scannerReducer, 'not-started')
  const [others, setOthers] = useState<string[]>([])
  const video = useRef<HTMLVideoElement>(null)
  const camera = useRef<CodeScanner | null>(null)
  const stop = (): void => {
    camera.current?.stop()
    dispatch('stop')
  }
  const fail = (): void => {
    stop()
    onProblem(noCameraText)
  }

  const open = async (deviceId?: string): Promise<void> => {
    try {
      const { CodeScanner, listCameras } = await import('./code-scanner.ts')
      if (!video.current) return
      camera.current ??= new CodeScanner(video.current, {
        onFound: (content) => {
          dispatch('stop')
          onScanned(content)
        },
        onLost: fail,
      })
      await camera.current.start(deviceId)
      const cameras = await listCameras()
      const inUse = camera.current.deviceId
      setOthers(cameras.map((device) => device.deviceId).filter((id) => id !== '' && id !== inUse))
    } catch {
      fail()
    }
  }
  const start = (): void => {
    onProblem(null)
    dispatch('start')
    void open()
  }
  const begin = useRef(start)
  useEffect(() => {
    // Tapped before the app had loaded.
    if (document.querySelector('[data-early=tapped]')) begin.current()
  }, [])
  const scanFile = async (file: File): Promise<void> => {
    onProblem(null)
    const content = await import('./code-scanner.ts')
      .then(({ decodePicture }) => decodePicture(file))
      .catch(() => null)
    if (content === null) onProblem(noCodeText)
    else onScanned(content)
  }

  usePauseWhileHidden(dispatch)
  useEffect(() => {
    if (scanner === 'paused') camera.current?.pause()
    if (scanner === 'scanning') void camera.current?.resume()
  }, [scanner])
  useEffect(() => () => camera.current?.stop(), [])

  const [next] = others
  const switchCamera = next === undefined ? undefined : () => void open(next)
  return { scanner, video, start, stop, scanFile, switchCamera }
}

function usePauseWhileHidden(dispatch: Dispatch<ScannerEvent>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = (): void => {
      clearTimeout(timer)
      if (document.visibilityState === 'hidden') return dispatch('pause')
      timer = setTimeout(() => dispatch('resume'), resumeDelayMs)
    }
    document.addEventListener('visibilitychange', follow)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', follow)
    }
  }, [dispatch])
}
