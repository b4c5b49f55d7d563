import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

export type BrowserProgram = { path: string; env: NodeJS.ProcessEnv }

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const usualPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * `$CHROME_PATH`, else the one from the npm package, which needs a third less CPU time for the same pages, else the
 * installed Chrome, else Playwright's. `$WORKER_CHROME_PATH` comes first for pages with a service worker: the one from
 * npm shows no notifications.
 */
export function findBrowser(use: 'page' | 'service worker' = 'page'): BrowserProgram {
  const forWorkers = use === 'service worker' ? process.env['WORKER_CHROME_PATH'] : undefined
  const chosen = forWorkers || process.env['CHROME_PATH']
  if (chosen) return { path: chosen, env: process.env }
  if (process.platform === 'linux' && process.arch === 'x64') return packagedBrowser()
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const path = [...onPath, ...usualPlaces, chromium.executablePath()].find((file) => existsSync(file))
  if (path) return { path, env: process.env }
  throw new Error(
    'No Chrome found: install it, set CHROME_PATH, or run `npx playwright-core install chromium`.',
  )
}

/**
 * Unpacks the Chromium of @sparticuz/chromium, with the libraries and fonts that a minimal machine lacks. This
 * happens in a separate process because the package reads and changes the environment, and in a temporary folder
 * that is renamed once it is complete, so that neither a crash nor a second worker leaves a partial browser behind.
 */
function packagedBrowser(): BrowserProgram {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')), 'utf8'),
  )
  const folder = join(tmpdir(), `tableside-chromium-${manifest.version}`)
  if (!existsSync(folder)) {
    const partial = mkdtempSync(`${folder}-`)
    const unpack = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
    execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], {
      env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    })
    writeFileSync(
      join(partial, 'fonts/fonts.conf'),
      `<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
    )
    try {
      renameSync(partial, folder)
    } catch (error) {
      rmSync(partial, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  const libraries = [join(folder, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  const env = { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') }
  return { path: join(folder, 'chromium'), env }
}
