import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import type { Pixels } from '../../support/qr-reader.ts'

export type PrintedPages = {
  /** Width and height of every page, in millimetres. */
  pages: [width: number, height: number][]
  /** The rendered pages; null if the machine has no program that can render a PDF. */
  pictures: Pixels[] | null
}

/** Prints the page to a PDF. */
export async function printPage(page: Page): Promise<PrintedPages> {
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
  const boxes = [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)]
  const pages = boxes.map(([, width, height]): [number, number] => [millimetres(width), millimetres(height)])
  return { pages, pictures: renderPages(pdf) }
}

const millimetres = (points = ''): number => Math.round((Number(points) / 72) * 25.4)

const dpi = '150'
const programs: [name: string, args: (pdf: string, out: string) => string[]][] = [
  ['pdftoppm', (pdf, out) => ['-r', dpi, '-png', pdf, `${out}/page`]],
  ['gs', (pdf, out) => ['-q', '-sDEVICE=png16m', `-r${dpi}`, '-o', `${out}/page-%05d.png`, pdf]],
]

function renderPages(pdf: Buffer): Pixels[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-paper-'))
  try {
    writeFileSync(join(folder, 'paper.pdf'), pdf)
    const done = programs.some(([name, args]) => runProgram(name, args(join(folder, 'paper.pdf'), folder)))
    if (!done) return null
    return globSync('page*.png', { cwd: folder })
      .toSorted()
      .map((file) => {
        const { width, height, data } = PNG.sync.read(readFileSync(join(folder, file)))
        return { width, height, data: new Uint8ClampedArray(data) }
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function runProgram(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
