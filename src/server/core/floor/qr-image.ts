import { PNG } from 'pngjs'
import { encodeQR } from 'qr'

/** Width and height in pixels of the picture that owners download. */
const imageSize = 300

/** The width of the light margin that the standard requires. */
const quietZone = 4

/** With the quiet zone; true is dark. Level M tolerates 15 % damage, such as a drop of sauce. */
const encodeModules = (link: string): boolean[][] =>
  encodeQR(link, 'raw', { ecc: 'medium', border: quietZone })

/** A PNG as a data URL. All modules are the same whole number of pixels; the rest widens the margin. */
export function renderPng(link: string): string {
  const modules = encodeModules(link)
  const scale = Math.floor(imageSize / modules.length)
  const margin = Math.floor((imageSize - scale * modules.length) / 2)
  const png = new PNG({ width: imageSize, height: imageSize })
  png.data.fill(0xff)
  for (const [y, row] of modules.entries()) {
    for (const run of darkRuns(row)) {
      for (let line = 0; line < scale; line++) {
        const from = 4 * ((margin + y * scale + line) * imageSize + margin + run.start * scale)
        for (let pixel = 0; pixel < run.length * scale; pixel++)
          png.data.fill(0, from + 4 * pixel, from + 4 * pixel + 3)
      }
    }
  }
  return `data:image/png;base64,${PNG.sync.write(png, { colorType: 0 }).toString('base64')}`
}

/** For print in any size, one unit per module. Drawing runs of modules avoids hairlines between them. */
export function renderSvg(link: string): string {
  const modules = encodeModules(link)
  const size = modules.length
  const dark = modules
    .flatMap((row, y) => darkRuns(row).map(({ start, length }) => `M${start} ${y}h${length}v1h-${length}z`))
    .join('')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${dark}"/></svg>`
  )
}

type Run = { start: number; length: number }

function darkRuns(row: boolean[]): Run[] {
  const runs: Run[] = []
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1)
    if (!dark) continue
    if (last && last.start + last.length === x) last.length++
    else runs.push({ start: x, length: 1 })
  }
  return runs
}
