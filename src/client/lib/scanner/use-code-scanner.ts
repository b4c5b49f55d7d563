import { type Dispatch, type RefObject, useEffect, useReducer, useRef, useState } from 'react'
import type { CodeScanner, ScannerOptions } from './code-scanner.ts'
import { type ScannerEvent, scannerReducer, type ScannerState } from './scanner-flow.ts'

/** The camera needs a moment after the page was hidden. */
const resumeDelayMs = 200

type Options = ScannerOptions & {
  onFound: (content: string) => void
  /** There is no camera, it may not be used, or it went away. */
  onFail: () => void
}

type Scanner = {
  scanner: ScannerState
  video: RefObject<HTMLVideoElement | null>
  start: () => void
  stop: () => void
  /** Undefined when there is only one camera. */
  switchCamera: (() => void) | undefined
}

/** Starts and stops the camera with the reducer's state; the scanner's code is loaded on first use. */
export function useCodeScanner({ onFound, onFail, ...options }: Options): Scanner {
  const [scanner, dispatch] = useReducer(scannerReducer, 'not-started')
  const [others, setOthers] = useState<string[]>([])
  const video = useRef<HTMLVideoElement>(null)
  const camera = useRef<CodeScanner | null>(null)
  /** Rises with every start and stop: who cancels while the scanner's code is loading wants no camera any more. */
  const run = useRef(0)
  const stop = (): void => {
    run.current += 1
    camera.current?.stop()
    dispatch('stop')
  }
  const fail = (): void => {
    stop()
    onFail()
  }

  const open = async (deviceId?: string): Promise<void> => {
    run.current += 1
    const thisRun = run.current
    const isObsolete = (): boolean => run.current !== thisRun
    try {
      const { CodeScanner, listCameras } = await import('./code-scanner.ts')
      if (isObsolete() || !video.current) return
      const found = (content: string): void => {
        if (!options.keepsScanning) dispatch('stop')
        onFound(content)
      }
      camera.current ??= new CodeScanner(video.current, { onFound: found, onLost: fail }, options)
      await camera.current.start(deviceId)
      const cameras = await listCameras()
      const inUse = camera.current.deviceId
      setOthers(cameras.map((device) => device.deviceId).filter((id) => id !== '' && id !== inUse))
    } catch {
      if (!isObsolete()) fail()
    }
  }
  const start = (): void => {
    dispatch('start')
    void open()
  }

  usePauseWhileHidden(dispatch)
  useEffect(() => {
    if (scanner === 'paused') camera.current?.pause()
    if (scanner === 'scanning') void camera.current?.resume()
  }, [scanner])
  useEffect(() => () => camera.current?.stop(), [])

  const [next] = others
  const switchCamera = next === undefined ? undefined : () => void open(next)
  return { scanner, video, start, stop, switchCamera }
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
