import { decodeQR } from 'qr/decode.js'
import { scanBox } from './scanner-flow.ts'

const scanSettings = {
  framesPerSecond: 10,
  box: { width: 250, height: 250 },
  /** The same code may still be in view. */
  betweenSuccessesMs: 500,
  /** If the small decoder, which is available at once, has found nothing by then, the large one takes over. */
  patienceMs: 2_000,
} as const

/** The longest side of the decoded picture: a larger one is slower and reads no better. */
const maxPixels = 720

type Decode = (image: ImageData) => Promise<string | null> | string | null
export type LoadDecoder = () => Promise<Decode>

export type ScannerEvents = {
  onFound: (content: string) => void
  /** The camera went away by itself. */
  onLost: () => void
}
export type ScannerOptions = {
  /** A large one that reads more. Without it the small one does it all. */
  loadBetterDecoder?: LoadDecoder | undefined
  /** For many codes in turn; otherwise the camera is off when one is found. */
  keepsScanning?: boolean | undefined
}

/** A camera that looks for codes. When it runs is decided by its owner, see `scannerReducer`. */
export class CodeScanner {
  readonly #video: HTMLVideoElement
  readonly #events: ScannerEvents
  readonly #options: ScannerOptions
  readonly #canvas = document.createElement('canvas')
  #stream: MediaStream | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #decode: Decode = decodeWithSmallDecoder
  #requestedBetterDecoder = false
  #scanningSince = 0
  #frames = 0
  #foundAt = 0
  /** Rises with every start and stop, so that earlier asynchronous work can tell it is obsolete. */
  #run = 0

  constructor(video: HTMLVideoElement, events: ScannerEvents, options: ScannerOptions) {
    this.#video = video
    this.#events = events
    this.#options = options
  }

  /** Uses the rear camera unless one was chosen. Rejects when there is none or it may not be used. */
  async start(deviceId?: string): Promise<void> {
    this.stop()
    const run = this.#run
    const camera = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: 'environment' } }
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...camera, width: { ideal: 1280 }, height: { ideal: 720 } },
    })
    if (run !== this.#run) return stopStream(stream)
    const [track] = stream.getVideoTracks()
    if (!track) throw new Error('The camera gave no picture')
    track.addEventListener('ended', () => {
      if (this.#stream === stream) this.#events.onLost()
    })
    this.#stream = stream
    this.#video.srcObject = stream
    await this.#video.play()
    if (run === this.#run) this.#begin()
  }

  pause(): void {
    clearTimeout(this.#timer)
    this.#run += 1
    this.#video.pause()
  }

  async resume(): Promise<void> {
    if (!this.#stream) return
    await this.#video.play()
    this.#begin()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#run += 1
    if (this.#stream) stopStream(this.#stream)
    this.#stream = null
    this.#video.srcObject = null
  }

  /** The camera in use. */
  get deviceId(): string | undefined {
    return this.#stream?.getVideoTracks()[0]?.getSettings().deviceId
  }

  #begin(): void {
    this.#run += 1
    this.#scanningSince = performance.now()
    this.#next(this.#run)
  }

  #next(run: number): void {
    this.#timer = setTimeout(() => void this.#look(run), 1000 / scanSettings.framesPerSecond)
  }

  async #look(run: number): Promise<void> {
    const content = await this.#read()
    if (run !== this.#run) return
    const now = performance.now()
    if (content !== null && now - this.#foundAt >= scanSettings.betweenSuccessesMs) {
      this.#foundAt = now
      this.#scanningSince = now
      if (!this.#options.keepsScanning) this.stop()
      this.#events.onFound(content)
      if (!this.#options.keepsScanning) return
    }
    if (now - this.#scanningSince >= scanSettings.patienceMs) void this.#useBetterDecoder()
    this.#next(run)
  }

  async #useBetterDecoder(): Promise<void> {
    const { loadBetterDecoder } = this.#options
    if (this.#requestedBetterDecoder || !loadBetterDecoder) return
    this.#requestedBetterDecoder = true
    try {
      this.#decode = await loadBetterDecoder()
    } catch {
      // It could not be loaded: the small one continues.
    }
  }

  /** Alternates between the box and the whole picture: a code held close does not fit into the box. */
  async #read(): Promise<string | null> {
    const { videoWidth, videoHeight, clientWidth, clientHeight } = this.#video
    if (videoWidth === 0 || clientWidth === 0) return null
    const container = { width: clientWidth, height: clientHeight }
    this.#frames += 1
    const shown = this.#frames % 2 === 1 ? scanBox(scanSettings.box, container) : container
    // The picture covers its element: it is scaled, and cut on two sides.
    const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight)
    const [width, height] = [shown.width / scale, shown.height / scale]
    const [left, top] = [(videoWidth - width) / 2, (videoHeight - height) / 2]
    const shrink = Math.min(1, maxPixels / Math.max(width, height))
    const image = drawToImageData(this.#canvas, width * shrink, height * shrink, (context, w, h) =>
      context.drawImage(this.#video, left, top, width, height, 0, 0, w, h),
    )
    try {
      return await this.#decode(image)
    } catch {
      return null
    }
  }
}

export async function listCameras(): Promise<MediaDeviceInfo[]> {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices.filter(({ kind }) => kind === 'videoinput')
}

/** The content of the code in a picture; null when there is none or the file is not a picture. */
export async function decodePicture(file: Blob, loadBetterDecoder: LoadDecoder): Promise<string | null> {
  const picture = await createImageBitmap(file).catch(() => null)
  if (!picture) return null
  const shrink = Math.min(1, (2 * maxPixels) / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  const image = drawToImageData(canvas, picture.width * shrink, picture.height * shrink, (context, w, h) => {
    // A white background, for transparent pictures.
    context.fillStyle = 'white'
    context.fillRect(0, 0, w, h)
    context.drawImage(picture, 0, 0, w, h)
  })
  picture.close()
  const quick = decodeWithSmallDecoder(image)
  if (quick !== null) return quick
  const decode = await loadBetterDecoder().catch(() => null)
  return decode && (await decode(image))
}

function drawToImageData(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void,
): ImageData {
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('This browser cannot draw')
  canvas.width = Math.max(1, Math.round(width))
  canvas.height = Math.max(1, Math.round(height))
  draw(context, canvas.width, canvas.height)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}

function decodeWithSmallDecoder(image: ImageData): string | null {
  try {
    return decodeQR(image, { timeLimit: 50 })
  } catch {
    return null
  }
}

function stopStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}
