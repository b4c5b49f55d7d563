import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

const client = fileURLToPath(new URL('src/client', import.meta.url))

/** What all builds have in common. */
function base(): InlineConfig {
  return { root: client, configFile: false, logLevel: 'warn', plugins: [react(), tailwindcss()] }
}

function browserBuild(outDir: string): InlineConfig['build'] {
  return {
    outDir,
    emptyOutDir: false,
    manifest: true,
    modulePreload: { polyfill: false },
    // The Content-Security-Policy allows no `data:` fonts.
    assetsInlineLimit: 0,
  }
}

/** The guest page runs on Preact: it takes 7 of the page's 80 kB, react-dom would take 58. */
const preact = {
  alias: [
    { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
    { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
    { find: /^react-dom\/server$/, replacement: 'preact/compat/server' },
    { find: /^react$/, replacement: 'preact/compat' },
  ],
}

/** The guest page in the browser. Built separately, so that it contains nothing of the staff app. */
export function guestBuild(outDir: string): InlineConfig {
  const build = {
    ...browserBuild(outDir),
    cssCodeSplit: false,
    rolldownOptions: { input: `${client}/app/guest.tsx` },
  }
  return { ...base(), publicDir: false, resolve: preact, build }
}

/** The guest page's tap queue: one script that is inlined into the page and starts itself. */
export function tapQueueBuild(outDir: string): InlineConfig {
  const rolldownOptions: NonNullable<InlineConfig['build']>['rolldownOptions'] = {
    input: `${client}/features/guest/tap-queue.ts`,
    preserveEntrySignatures: 'strict',
    output: {
      format: 'iife',
      name: 'tapQueue',
      entryFileNames: 'tap-queue.js',
      footer: 'tapQueue.startTapQueue()',
    },
  }
  return { ...base(), publicDir: false, build: { outDir, emptyOutDir: false, rolldownOptions } }
}

/** The staff app's service worker: one small script beside the pages, under a stable name. */
export function serviceWorkerBuild(outDir: string): InlineConfig {
  const rolldownOptions: NonNullable<InlineConfig['build']>['rolldownOptions'] = {
    input: `${client}/app/service-worker.ts`,
    output: { format: 'iife', entryFileNames: 'service-worker.js' },
  }
  return { ...base(), publicDir: false, build: { outDir, emptyOutDir: false, rolldownOptions } }
}

/** The guest page on the server: one module that needs no packages and ignores NODE_ENV at run time. */
export function guestServerBuild(outDir: string): InlineConfig {
  return {
    ...base(),
    publicDir: false,
    resolve: preact,
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, emptyOutDir: false, ssr: `${client}/app/guest-server.tsx`, assetsInlineLimit: 0 },
  }
}

/**
 * The staff app: one page, with a file per route. What every page needs is in a single file, which is smaller than
 * several.
 */
export function staffBuild(outDir: string): InlineConfig {
  const rolldownOptions: NonNullable<InlineConfig['build']>['rolldownOptions'] = {
    input: `${client}/index.html`,
    output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } },
  }
  return { ...base(), build: { ...browserBuild(outDir), rolldownOptions } }
}
