import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { encodeQR } from 'qr'
import { onTestFinished } from 'vitest'

const [width, height, border, white, black] = [640, 480, 4, 235, 16]

/**
 * A camera clip that shows `text` as a QR code, for `openPage({ camera: { clip } })`: 640×480, 10 frames a
 * second, in a loop. `blankFrames` precede the code. The file is deleted when the test ends.
 */
export function createCameraClip(text: string, { blankFrames = 0, frames = 10 } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-camera-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clip = join(folder, 'clip.y4m')
  const blank = frameOf(() => false)
  const code = frameOf(pixelsOf(text))
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420\n`)
  writeFileSync(clip, Buffer.concat([header, ...Array(blankFrames).fill(blank), ...Array(frames).fill(code)]))
  return clip
}

/** Returns whether the pixel at x, y is dark if the code fills the height of the picture. */
function pixelsOf(text: string): (x: number, y: number) => boolean {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border })
  const scale = Math.floor(height / modules.length)
  const [left, top] = [(width - modules.length * scale) >> 1, (height - modules.length * scale) >> 1]
  return (x, y) => modules[Math.floor((y - top) / scale)]?.[Math.floor((x - left) / scale)] ?? false
}

function frameOf(isDark: (x: number, y: number) => boolean): Buffer {
  const luma = Buffer.alloc(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) luma[y * width + x] = isDark(x, y) ? black : white
  }
  const chroma = Buffer.alloc((width * height) / 2, 128)
  return Buffer.concat([Buffer.from('FRAME\n'), luma, chroma])
}

export type DrawnCamera = {
  /** Holds a code in front of the camera, or removes it. */
  show(text: string | undefined): Promise<void>
  /** The constraints of each time that the page requested the camera. */
  requestedConstraints(): Promise<MediaStreamConstraints[]>
  /** Whether any of the page's streams is still live. */
  isRunning(): Promise<boolean>
}

/** `window.drawnCamera` in the page. */
type PageCamera = {
  draw(modules: boolean[][]): void
  asked: MediaStreamConstraints[]
  tracks: MediaStreamTrack[]
}

/**
 * Replaces the camera of a page, before it loads, by one whose picture the test draws. This is faster than a clip,
 * which requires a separate browser, and the picture can change while the camera is running.
 */
export async function createDrawnCamera(page: Page, text?: string): Promise<DrawnCamera> {
  const matrix = (shown?: string): boolean[][] =>
    shown ? encodeQR(shown, 'raw', { ecc: 'medium', border }) : []
  await page.addInitScript(
    ({ first, size }) => {
      const canvas = document.createElement('canvas')
      canvas.width = size.width
      canvas.height = size.height
      const pen = canvas.getContext('2d')
      let shown = first
      const paint = (): void => {
        if (!pen) return
        pen.fillStyle = 'white'
        pen.fillRect(0, 0, size.width, size.height)
        pen.fillStyle = 'black'
        const scale = Math.floor(size.height / Math.max(shown.length, 1))
        shown.forEach((row, y) =>
          row.forEach((dark, x) => dark && pen.fillRect(80 + x * scale, y * scale, scale, scale)),
        )
      }
      const camera: PageCamera = {
        asked: [],
        tracks: [],
        draw: (modules) => {
          shown = modules
          paint()
        },
      }
      Object.assign(window, { drawnCamera: camera })
      navigator.mediaDevices.getUserMedia = async (constraints = {}) => {
        camera.asked.push(constraints)
        paint()
        const stream = canvas.captureStream(20)
        camera.tracks.push(...stream.getTracks())
        // Unlike a camera, a canvas emits a frame only when it is painted.
        const timer = setInterval(() => (stream.active ? paint() : clearInterval(timer)), 50)
        return stream
      }
    },
    { first: matrix(text), size: { width, height } },
  )
  const onPage = <T>(ask: (camera: PageCamera) => T): Promise<T> =>
    page.evaluate(`(${String(ask)})(drawnCamera)`)
  return {
    show: (shown) => page.evaluate(`drawnCamera.draw(${JSON.stringify(matrix(shown))})`),
    requestedConstraints: () => onPage((camera) => camera.asked),
    isRunning: () => onPage((camera) => camera.tracks.some(({ readyState }) => readyState === 'live')),
  }
}
