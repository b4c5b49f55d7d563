import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { type InlineConfig, parseSync, type Plugin } from 'vite'

const client = fileURLToPath(new URL('src/client', import.meta.url))

/**
 * The schemas of requests are the server's: a page reads only those of replies, and forms import their own. So what a
 * file of routes imports for them alone is not imported either: every page would load it before what it needs.
 */
const withoutRequestSchemas: Plugin = {
  name: 'without-request-schemas',
  enforce: 'pre',
  transform: {
    filter: { id: /contract\/routes\/[\w-]+\.ts$/ },
    handler: (code, id) => {
      const replies = replacePlaces(code, findRequestSchemas(parseSync(id, code).program), 'undefined')
      return replacePlaces(replies, findUnusedImports(replies, parseSync(id, replies).program), '')
    },
  },
}

const replacePlaces = (code: string, places: Place[], replacement: string): string =>
  places
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => `${rest.slice(0, start)}${replacement}${rest.slice(end)}`, code)

function findUnusedImports(code: string, { body }: Program): Place[] {
  const imports = body.filter((node) => node.type === 'ImportDeclaration')
  const rest = replacePlaces(code, imports, '')
  return imports.filter(
    ({ specifiers }) =>
      specifiers.length > 0 &&
      specifiers.every(({ local }) => !RegExp(`\\b${local.name}\\b`, 'u').test(rest)),
  )
}

/** Leaves out the schemas that no page uses: the bundler cannot tell that the calls that make them have no effect. */
const pureContracts: Plugin = {
  name: 'pure-contracts',
  enforce: 'pre',
  transform: {
    filter: { id: /src\/contract\/.+\.ts$/ },
    handler: (code, id) => {
      // A chain of calls starts where its first one does.
      const starts = new Set(findCalls(parseSync(id, code).program).map(({ start }) => start))
      return [...starts]
        .toSorted((a, b) => b - a)
        .reduce((rest, start) => `${rest.slice(0, start)}/* @__PURE__ */ ${rest.slice(start)}`, code)
    },
  },
}

/** Those that run as the module is loaded: what a function calls may well have an effect. */
function findCalls(node: unknown): Place[] {
  if (typeof node !== 'object' || node === null || isFunction(node)) return []
  const isCall = 'type' in node && /^(?:Call|New)Expression$/u.test(String(node.type))
  return [...(isCall && isNode(node) ? [node] : []), ...Object.values(node).flatMap(findCalls)]
}

const isFunction = (node: object): boolean => 'type' in node && String(node.type).includes('Function')

type Program = ReturnType<typeof parseSync>['program']
type Place = { start: number; end: number }

function findRequestSchemas(node: unknown): Place[] {
  if (typeof node !== 'object' || node === null) return []
  if ('type' in node && node.type === 'Property' && 'key' in node && 'value' in node) {
    const { key, value } = node
    const isSchema = isNode(key) && 'name' in key && /^(params|query|body)$/.test(String(key.name))
    if (isSchema && isNode(value)) return [value]
  }
  return Object.values(node).flatMap(findRequestSchemas)
}

const isNode = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && 'start' in value && 'end' in value

/** Keys of an icon's parts, which only development needs and which do not compress, and its other names. */
const iconsWithoutKeys: Plugin = {
  name: 'icons-without-keys',
  transform: {
    filter: { id: /lucide-react\/dist\/esm\/icons\/[\w-]+\.mjs$/ },
    handler: (code) => code.replaceAll(/,\s*key: "\w+"|,\s*aliases: \[[^\]]*\]/gu, ''),
  },
}

/** What all builds have in common. */
function base(): InlineConfig {
  const plugins = [withoutRequestSchemas, pureContracts, iconsWithoutKeys, react(), tailwindcss()]
  return { root: client, configFile: false, logLevel: 'warn', plugins }
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

type RolldownOptions = NonNullable<NonNullable<InlineConfig['build']>['rolldownOptions']>
type Treeshake = NonNullable<RolldownOptions['treeshake']>
type Output = Exclude<NonNullable<RolldownOptions['output']>, readonly unknown[]>
type CodeSplittingGroup = NonNullable<Exclude<Output['codeSplitting'], boolean | undefined>['groups']>[number]

/** Otherwise the contract's schemas stay wherever one reads a property of another. */
const treeshake: Treeshake = {
  propertyReadSideEffects: false,
  moduleSideEffects: [{ test: /src\/contract\//, sideEffects: false }],
}

const preact = [
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react-dom\/server$/, replacement: 'preact/compat/server' },
  { find: /^react$/, replacement: 'preact/compat' },
]

/**
 * The guest page runs on Preact: it takes 7 of the page's 45 kB, react-dom would take 58. With GUEST_RUNTIME=react it
 * runs on React itself, which proves that Preact stays a choice.
 */
const guestRuntime = {
  alias: [
    ...(process.env['GUEST_RUNTIME'] === 'react' ? [] : preact),
    { find: /^.*\/createLucideIcon\.mjs$/, replacement: `${client}/lib/browser/plain-icon.ts` },
  ],
}

/** The guest page's parts have no styles or scripts to load before them. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => 'export const __vitePreload = (load) => load()',
  },
}

/** Has V8 compile the functions on another thread while the script comes, not one by one when they first run. */
const compileAtOnce = '//# allFunctionsCalledOnLoad'

/** The guest page in the browser. Built separately, so that it contains nothing of the staff app. */
export function guestBuild(outDir: string): InlineConfig {
  const rolldownOptions: RolldownOptions = {
    input: `${client}/app/guest.tsx`,
    // One file, whatever its parts share with it.
    output: {
      codeSplitting: { groups: [{ name: 'guest', tags: ['$initial'] }] },
      postBanner: ({ name }) => (name === 'guest' ? compileAtOnce : ''),
    },
    treeshake,
  }
  const modulePreload = false as const
  const build = { ...browserBuild(outDir), modulePreload, cssCodeSplit: false, rolldownOptions }
  const { plugins = [], ...shared } = base()
  return {
    ...shared,
    plugins: [plainImports, ...plugins],
    publicDir: false,
    resolve: guestRuntime,
    build,
  }
}

/** By their names, the scripts that are inlined into the guest page, its card and the staff app, and what starts each. */
const inlineScripts = {
  'tap-queue': { file: 'features/guest/taps/tap-queue.ts', start: 'startTapQueue' },
  'card-script': { file: 'features/guest/card/card-script.ts', start: 'startCard' },
  'blank-page': { file: 'lib/browser/blank-page.ts', start: 'watchForBlankPage' },
}

export function inlineScriptBuild(outDir: string, name: keyof typeof inlineScripts): InlineConfig {
  const { file, start } = inlineScripts[name]
  const rolldownOptions: RolldownOptions = {
    input: `${client}/${file}`,
    preserveEntrySignatures: 'strict',
    treeshake,
    output: {
      format: 'iife',
      name: 'inlined',
      entryFileNames: `${name}.js`,
      footer: `inlined.${start}()`,
    },
  }
  return { ...base(), publicDir: false, build: { outDir, emptyOutDir: false, rolldownOptions } }
}

/** What a service worker keeps of a page. */
export type KeptPage = { version: string; files: readonly string[] }

/** The staff app's service worker: one small script beside the pages, under a stable name. */
export function serviceWorkerBuild(outDir: string, crewPage: KeptPage): InlineConfig {
  return workerBuild(outDir, 'service-worker', { crewPage: JSON.stringify(crewPage) })
}

function workerBuild(outDir: string, name: string, define: Record<string, string>): InlineConfig {
  const rolldownOptions: RolldownOptions = {
    input: `${client}/app/${name}.ts`,
    output: { format: 'iife', entryFileNames: `${name}.js` },
  }
  return { ...base(), publicDir: false, define, build: { outDir, emptyOutDir: false, rolldownOptions } }
}

/** The guest page's service worker, in the same way. */
export function guestWorkerBuild(outDir: string, guestPage: KeptPage): InlineConfig {
  return workerBuild(outDir, 'guest-worker', { guestPage: JSON.stringify(guestPage) })
}

/** The guest page on the server: one module that needs no packages and ignores NODE_ENV at run time. */
export function guestServerBuild(outDir: string): InlineConfig {
  return {
    ...base(),
    publicDir: false,
    resolve: guestRuntime,
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, emptyOutDir: false, ssr: `${client}/app/guest-server.tsx`, assetsInlineLimit: 0 },
  }
}

type GroupName = NonNullable<CodeSplittingGroup['name']>
type ChunkingContext = Parameters<Exclude<GroupName, string>>[1]

/** By its lazy modules, what is loaded together. All others are pages of owners and managers. */
const areas = {
  crew: /app[\\/]crew\.tsx$/,
  shift: /features[\\/]crew[\\/](shift[\\/]|device[\\/]device-drawer)/,
  parts: /features[\\/](crew|messages)[\\/](?!wall|picker)|app[\\/](kept-crew|is-server-message)\.ts$/,
  admin: /app[\\/]admin\.tsx$|admin[\\/]admin-portal\.tsx$/,
  frame: /app[\\/]owners[\\/]owner-navigation|app[\\/]commands|app[\\/]confirm-identity|ui[\\/]toast/,
  sections: /features[\\/]admin[\\/]/,
  management: /app[\\/]management\.tsx$/,
  figures: /features[\\/]management[\\/]/,
  // Whoever comes for the first time, or signs in, needs little.
  welcome: /features[\\/](accounts|landing)[\\/]|app[\\/](landing-page|redirect-to-sign-in)\.tsx$/,
}

const areaOf = (lazyModule: string): string =>
  Object.entries(areas).find(([, lazyModules]) => lazyModules.test(lazyModule))?.[0] ?? 'pages'

/**
 * The name of the file for what several areas share, null for what stays with its only lazy module. A file for each
 * set of lazy modules, or of more than two areas, would often be smaller than the headers of a request for it
 * (`docs/decisions/075`).
 */
function sharedByAreas(moduleId: string, context: ChunkingContext): string | null {
  const lazyModules = new Set<string>()
  const importers = new Set([moduleId])
  for (const importer of importers) {
    const module = context.getModuleInfo(importer)
    if (module?.isEntry) return null
    if (module && module.dynamicImporters.length > 0) lazyModules.add(importer)
    for (const each of module?.importers ?? []) importers.add(each)
  }
  const sharing = new Set([...lazyModules].map(areaOf))
  // A page can fail to load without the others. The parts of the crew's screen come together.
  const isOwn = lazyModules.size < 2 || lazyModules.has(moduleId)
  const isPart = sharing.has('parts') || sharing.has('shift')
  if (sharing.has('crew') || (isOwn && !isPart)) return null
  if (sharing.size < 3) return [...sharing].toSorted().join('-')
  // Neither a first visit nor the Management Portal waits for what only others need.
  if (sharing.has('management') || sharing.has('welcome')) return 'common'
  return sharing.has('parts') ? 'controls' : 'owners'
}

/**
 * The staff app: one page, with a file per route. What every page needs is in a single file, which is smaller than
 * several.
 */
export function staffBuild(outDir: string): InlineConfig {
  const rolldownOptions: RolldownOptions = {
    input: `${client}/index.html`,
    treeshake,
    output: {
      // As short as the bundler allows: each screen names its lazy parts, and hashes do not compress.
      chunkFileNames: 'assets/[name]-[hash:7].js',
      codeSplitting: {
        groups: [
          { name: 'base', tags: ['$initial'], priority: 1 },
          // How the bundler splits these would change by a kilobyte with unrelated imports.
          {
            name: 'lib',
            priority: 1,
            test: /lib[\\/](\w+[\\/])?(dates|translate-rich|use-timeout|use-media|natural-order|tunes|reload-outdated-page)\.ts$|api[\\/](use-)?push\.ts$|ui[\\/](\w+[\\/])?(badge|service-icon|request-icon|table-number|tabs)\.tsx$|ui[\\/](\w+[\\/])?use-(dialog|go-to-login)\.ts$|icons[\\/](house|check|chevron-down)\.\w+$/,
          },
          {
            name: 'requests',
            priority: 1,
            test: /crew[\\/](requests[\\/]requests-provider|device[\\/](use-chime|sound-button)|heat)\.tsx?$|ui[\\/]requests[\\/]time-text\.tsx$|icons[\\/]volume-[2x]\.\w+$/,
          },
          // Owners' routes: all pages reach all of them, though most are left out of a page that calls none.
          {
            name: 'routes',
            priority: 1,
            test: /contract[\\/](\w+[\\/])?(analytics|billing|devices|first-steps|managers|opening|outside-alerts|own-restaurants|owner|passkeys|qr|recovery|restaurants|security|weekly-pattern)\.ts$/,
          },
          { name: sharedByAreas, debugName: 'shared by areas', includeDependenciesRecursively: false },
        ],
      },
    },
  }
  return { ...base(), build: { ...browserBuild(outDir), rolldownOptions } }
}
