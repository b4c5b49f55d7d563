import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export type Printed = {
  pdf: Buffer
  /** Width and height of every page, in millimetres. */
  pages: [width: number, height: number][]
}

/** Prints the page to a PDF. */
export async function printPage(page: Page): Promise<Printed> {
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
  const boxes = [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)]
  return { pdf, pages: boxes.map(([, width, height]) => [millimetres(width), millimetres(height)]) }
}

const millimetres = (points = ''): number => Math.round((Number(points) / 72) * 25.4)

export const dpi = 300

/** A rendered page, from black (0) to white (255). */
export type Paper = { width: number; height: number; grey: Buffer }

const programs: [name: string, args: (pdf: string, out: string) => string[]][] = [
  ['pdftoppm', (pdf, out) => ['-r', `${dpi}`, '-gray', pdf, `${out}/page`]],
  ['gs', (pdf, out) => ['-q', '-sDEVICE=pgmraw', `-r${dpi}`, '-o', `${out}/page-%05d.pgm`, pdf]],
]

/** What stands on the paper, page by page. False if the machine has no program that can render a PDF. */
export async function lookAtPages(
  { pdf }: Printed,
  look: (paper: Paper, index: number) => Promise<void>,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-paper-'))
  try {
    writeFileSync(join(folder, 'paper.pdf'), pdf)
    if (!programs.some(([name, args]) => runProgram(name, args(join(folder, 'paper.pdf'), folder))))
      return false
    const files = globSync('page*.pgm', { cwd: folder }).toSorted()
    for (const [index, file] of files.entries()) await look(readPaper(join(folder, file)), index)
    return true
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A PGM file: a header in ASCII, then one byte for each pixel. */
function readPaper(file: string): Paper {
  const bytes = readFileSync(file)
  const [header = '', width, height] =
    /^P5\s(?:#.*\n)*(\d+)\s+(\d+)\s+255\s/u.exec(bytes.toString('latin1', 0, 200)) ?? []
  return { width: Number(width), height: Number(height), grey: bytes.subarray(header.length) }
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
