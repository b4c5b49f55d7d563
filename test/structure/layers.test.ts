import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

type Layer = {
  /** Folders and files of src, `node:` for the runtime's modules, `*` for any package, else packages. */
  may: string
  /** Folders of which only the types may be imported. */
  types?: string
}

/** What each folder may import besides itself. Read top to bottom: imports only point up. */
const layers: Record<string, Layer> = {
  contract: { may: 'valibot' },
  'server/storage': { may: 'contract kysely pg node:' },
  // Types alone: what `core` needs from outside, which adapters implement.
  'server/ports': { may: 'contract node:', types: 'server/storage' },
  'server/core': { may: 'contract server/storage qr pngjs node:', types: 'server/ports' },
  'server/adapters': {
    may: 'contract server/core/errors.ts server/core/limits/limit-rules.ts server/storage/engine/postgres/postgres-client.ts redis pino @node-rs/argon2 @zxcvbn-ts/language-common stripe web-push openid-client @simplewebauthn/server ipaddr.js nodemailer prom-client @fastify/otel @opentelemetry/api @opentelemetry/context-async-hooks @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace node:',
    types: 'server/core server/ports',
  },
  'server/live': { may: 'contract server/core valibot ws node:', types: 'server/ports' },
  'server/http': {
    may: 'contract server/core fastify @fastify/static @fastify/proxy-addr cookie ipaddr.js node:',
    types: 'server/ports',
  },
  'server/workers': { may: 'contract server/core server/adapters server/live node:', types: 'server/ports' },
  server: {
    may: 'contract server/storage server/core server/adapters server/live server/http server/workers server/backup * node:',
    types: 'server/ports',
  },
  'server/backup': { may: 'contract server/storage server/core kysely pg valibot node:' },
  // ws: the doctor opens the live channel as a browser does.
  'server/cli': {
    may: 'contract server server/storage server/core server/adapters server/backup server/http/client-address.ts valibot commander ws node:',
  },
  'client/public': { may: '' },
  'client/lib': {
    may: 'contract/backoff.ts contract/names.ts contract/texts/languages.ts contract/requests/requests.ts react qr',
    types: 'contract',
  },
  // wouter: the way to a login is the same on every portal, and so is signing out.
  'client/ui': { may: 'client/lib react wouter @base-ui/react lucide-react' },
  'client/api': {
    may: 'contract client/lib valibot react wouter @tanstack/react-query @simplewebauthn/browser',
  },
  'client/features': {
    may: 'contract client/api client/ui client/lib valibot react wouter lucide-react qr zxing-wasm client-zip @stripe/stripe-js @stripe/react-stripe-js @visx/scale @visx/shape',
  },
  'client/app': { may: 'contract client/api client/features client/ui client/lib *' },
}

const words = (text = ''): string[] => text.split(' ')

const features = words('landing accounts owner guest crew messages management admin security')

/** Entry points: the server, the two pages in the browser, and worker threads. */
const isEntry = (file: string): boolean =>
  ['server/main.ts', 'server/cli/main.ts', 'client/app/guest.tsx', 'client/app/staff.tsx'].includes(file) ||
  /[/-]worker\.ts$/.test(file)

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file)
const isCode = (file: string): boolean => /\.tsx?$/.test(file) && !file.endsWith('.d.ts')

const files = globSync('**/*.*', { cwd: 'src' }).map((file) => file.replaceAll('\\', '/'))
const code = files.filter(isCode).map((file) => ({ file, text: readFileSync(`src/${file}`, 'utf8') }))

function layerOf(path: string): string | undefined {
  const [half = '', folder = '', ...rest] = path.split('/')
  if (half === 'contract') return folder && 'contract'
  if (half !== 'server' && half !== 'client') return undefined
  if (rest.length === 0) return half
  return Object.hasOwn(layers, `${half}/${folder}`) ? `${half}/${folder}` : undefined
}

const featureOf = (path: string): string | undefined => /^client\/features\/([^/]+)\//.exec(path)?.[1]

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Every module that a file imports or re-exports, statically or dynamically, and whether only as types. */
function importsOf(file: string, text: string): { specifier: string; typeOnly: boolean }[] {
  const { module } = parseSync(file, text)
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, typeOnly: isType }] : [],
      ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      specifier: text.slice(start, end).replace(/^(['"`])(.*)\1$/s, '$2'),
      typeOnly: false,
    })),
  ]
}

function pathOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
}

/** Files that import each other, directly or indirectly. */
function circlesIn(needs: Map<string, string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const follow = (file: string, way: string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) circles.push([...way.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const needed of needs.get(file) ?? []) follow(needed, [...way, file])
    done.add(file)
  }
  for (const file of needs.keys()) follow(file, [])
  return circles
}

/** The longest chain of imports that starts at each file. Only for files without circles. */
function longestChains(needs: Map<string, string[]>): string[][] {
  const cache = new Map<string, string[]>()
  const chainFrom = (file: string): string[] => {
    const cached = cache.get(file)
    if (cached) return cached
    const deepest = (needs.get(file) ?? [])
      .filter((needed) => needs.has(needed))
      .map(chainFrom)
      .reduce<string[]>((longest, chain) => (chain.length > longest.length ? chain : longest), [])
    const chain = [file, ...deepest]
    cache.set(file, chain)
    return chain
  }
  return [...needs.keys()].map(chainFrom)
}

/** The imports of one file that its layer does not allow. */
function forbiddenImports(file: string, text: string): string[] {
  const layer = layerOf(file)
  if (!layer) return [`${file} stands in no known folder`]
  const [may, types] = [words(layers[layer]?.may), words(layers[layer]?.types)]
  const allowed = ({ specifier, typeOnly }: { specifier: string; typeOnly: boolean }): boolean => {
    const path = pathOf(file, specifier)
    if (path === undefined) {
      if (isTest(file)) return true
      if (specifier.startsWith('node:')) return may.includes('node:')
      return may.includes('*') || may.includes(packageOf(specifier))
    }
    if (path.startsWith('../')) return isTest(file)
    const target = layerOf(path.replace(/\?.*$/, ''))
    if (!target) return false
    if (target === layer) return featureOf(file) === featureOf(path)
    if (target === 'contract' && !specifier.startsWith('#contract/')) return false
    return (
      may.includes(target) || may.includes(path) || (types.includes(target) && (typeOnly || isTest(file)))
    )
  }
  return importsOf(file, text)
    .filter((imported) => !allowed(imported))
    .map(({ specifier }) => `${file} imports ${specifier}`)
}

const declarations = new Set([
  ...words('ImportDeclaration ExportNamedDeclaration ExportAllDeclaration ExportDefaultDeclaration'),
  ...words('VariableDeclaration FunctionDeclaration ClassDeclaration'),
  ...words('TSTypeAliasDeclaration TSInterfaceDeclaration TSModuleDeclaration TSDeclareFunction'),
])
const laterOn = new Set(
  words('FunctionDeclaration FunctionExpression ArrowFunctionExpression PropertyDefinition'),
)
const starters = new Set([
  ...words('listen connect createServer createConnection fetch spawn fork exec startApp'),
  ...words('setTimeout setInterval setImmediate queueMicrotask addEventListener'),
  ...words('Worker SharedWorker WebSocket EventSource DatabaseSync Pool Client'),
])

/** What importing a file does beyond declarations. */
function startsAtImport(file: string, text: string): string[] {
  const { program } = parseSync(file, text)
  const found: string[] = program.body
    .filter(({ type }) => !declarations.has(type))
    .map(({ start, end }) => text.slice(start, end))
  const look = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(look)
    if (!isNode(node) || laterOn.has(node.type)) return
    const callee =
      node.type === 'CallExpression' || node.type === 'NewExpression' ? node['callee'] : undefined
    const name = /(\w+)$/.exec(isNode(callee) ? text.slice(callee.start, callee.end) : '')?.[1] ?? ''
    if (node.type === 'AwaitExpression' || starters.has(name)) found.push(text.slice(node.start, node.end))
    Object.values(node).forEach(look)
  }
  look(program.body)
  return [...new Set(found)].map((source) => `${file}: ${source.split('\n')[0]}`)
}

function isNode(
  value: unknown,
): value is { type: string; start: number; end: number; [key: string]: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Folders in which nobody finds anything. Migrations are a list by number. */
function crowdedFolders(paths: string[]): string[] {
  const folders = Map.groupBy(paths, (path) => posix.dirname(path.replaceAll('\\', '/')))
  folders.delete('src/server/storage/migrations')
  return [...folders].filter(([, within]) => within.length > 20).map(([folder]) => folder)
}

const needsOf = (sources: readonly { file: string; text: string }[]): Map<string, string[]> =>
  new Map(
    sources.map(({ file, text }) => [
      file,
      importsOf(file, text).flatMap(({ specifier }) => pathOf(file, specifier) ?? []),
    ]),
  )

describe('the layers', () => {
  it('import only what the table allows', () => {
    expect(code.flatMap(({ file, text }) => forbiddenImports(file, text))).toEqual([])
  })

  const needs = needsOf(code)

  it('import nothing in a circle, not even types', () => {
    expect(circlesIn(needs)).toEqual([])
  })

  it('core is at most 7 imports deep, types included', () => {
    const core = [...needs].filter(([file]) => file.startsWith('server/core/') && !isTest(file))
    const tooDeep = longestChains(new Map(core)).filter((chain) => chain.length > 7)
    expect(tooDeep.map((chain) => chain.join(' → '))).toEqual([])
  })

  it('hold every file of src, in a known folder and under a kebab-case name', () => {
    const depth = (layer: string, file: string): number => file.split('/').length - layer.split('/').length
    const deeper =
      /^(contract|server\/(storage|core|adapters)(\/[a-z]+)?|server\/(http|live)|client\/(api|app|lib|ui)|client\/features(\/[a-z]+)?)\/[a-z]+(-[a-z]+)*\/[^/]+$/
    const misplaced = files.filter((file) => {
      const layer = layerOf(file)
      if (!layer || !/\/[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(file)) return true
      const feature = featureOf(file)
      if (feature !== undefined && !features.includes(feature)) return true
      return layer === 'client/features'
        ? feature === undefined
        : depth(layer, file) > 1 && !deeper.test(file)
    })
    expect(misplaced).toEqual([])
  })

  it('hold at most 20 files in a folder', () => {
    const exclude = ['test/e2e/pictures']
    expect(
      crowdedFolders(globSync('{src,test,bench,disk-faults,fuzz,simulation,scripts}/**/*.*', { exclude })),
    ).toEqual([])
  })

  it('need exactly the packages that are installed with the server', () => {
    const server = code.filter(({ file }) => !file.startsWith('client/') && !isTest(file))
    const imported = server
      .flatMap(({ file, text }) => importsOf(file, text))
      .filter(({ specifier, typeOnly }) => !typeOnly && /^(@[\w-]+\/)?[\w.-]+(\/|$)/.test(specifier))
      .filter(({ specifier }) => pathOf('', specifier) === undefined)
      .map(({ specifier }) => packageOf(specifier))
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect([...new Set(imported)].toSorted()).toEqual(Object.keys(dependencies).toSorted())
  })

  it('read the environment in config.ts only', () => {
    const reads = /process\s*\??\.\s*env\b|process\[|from '(node:)?process'/
    const readers = code.filter(
      ({ file, text }) => file !== 'server/config.ts' && !isTest(file) && reads.test(text),
    )
    expect(readers.map(({ file }) => file)).toEqual([])
  })

  it('have no side effects when imported', () => {
    const importable = code.filter(({ file }) => !isEntry(file) && !isTest(file))
    expect(importable.flatMap(({ file, text }) => startsAtImport(file, text))).toEqual([])
  })

  it('take the time from ctx in storage and core', () => {
    const own = code.filter(({ file }) => /^server\/(storage|core)\//.test(file) && !isTest(file))
    expect(
      own.filter(({ text }) => /\bnew Date\(\s*\)|\bDate\(\s*\)/.test(text)).map(({ file }) => file),
    ).toEqual([])
  })

  it('disable no checks', () => {
    const everything = globSync('{src,test,bench,disk-faults,fuzz,simulation,scripts}/**/*.{ts,tsx}', {
      exclude: ['test/structure/layers.test.ts'],
    })
    const directive = /(ox|es)lint-disable|@ts-(ignore|nocheck)|oxfmt-ignore/
    expect(everything.filter((file) => directive.test(readFileSync(file, 'utf8')))).toEqual([])
  })
})

it('tests and tools import nothing in a circle, not even types', () => {
  const sources = globSync('{test,bench,disk-faults,fuzz,simulation,scripts}/**/*.{ts,tsx}').map((file) => ({
    file: file.replaceAll('\\', '/'),
    text: readFileSync(file, 'utf8'),
  }))
  expect(circlesIn(needsOf(sources))).toEqual([])
})

describe('the check of the layers', () => {
  it.each([
    ['contract/crew.ts', `import { useState } from 'react'`],
    ['contract/crew.ts', `export type { Crew } from '../server/core/crew.ts'`],
    ['server/storage/crew.ts', `import { crew } from '../core/crew.ts'`],
    ['server/core/crew/crew.ts', `import type { Schema } from '../../http/server.ts'`],
    ['server/core/crew/crew.ts', `import { Crew } from '../../../contract/crew.ts'`],
    ['server/adapters/stripe.ts', `import { write } from '../core/transaction.ts'`],
    ['server/http/server.ts', `const page = await import('../../client/guest-server.tsx')`],
    ['server/live/gateway.ts', `export * from '../storage/crew.ts'`],
    ['client/ui/button.tsx', `import '../features/crew/crew.css'`],
    ['client/lib/time/use-now.ts', `import { api } from '#contract/api.ts'`],
    ['client/features/crew/list.tsx', `const other = () => import('../messages/panel.tsx')`],
    ['client/features/crew/list.tsx', `import { useQuery } from '@tanstack/react-query'`],
    ['client/app/staff.tsx', `import { config } from '../../server/config.ts'`],
    ['shared/thing.ts', ``],
  ])('refuses in %s: %s', (file, text) => {
    expect(forbiddenImports(file, text)).toHaveLength(1)
  })

  it.each([
    ['server/adapters/stripe.ts', `import type { PaymentProvider } from '../ports/payments.ts'`],
    ['client/lib/texts/translate.ts', `import type { Catalogue } from '#contract/texts/catalogue.ts'`],
    [
      'server/core/crew/crew.test.ts',
      `import { it } from 'vitest'; import { startTestApp } from '../../../../test/support/app.ts'`,
    ],
    ['client/features/crew/list.tsx', `import './list.css'; import { Button } from '../../ui/button.tsx'`],
    ['client/features/guest/scanner.ts', `import url from 'zxing-wasm/reader/zxing_reader.wasm?url'`],
    ['client/app/staff.tsx', `const crew = lazy(() => import('../features/crew/crew-dashboard.tsx'))`],
    ['server/main.ts', `import { startApp } from './app.ts'; import { hash } from '@node-rs/argon2'`],
  ])('allows in %s: %s', (file, text) => {
    expect(forbiddenImports(file, text)).toEqual([])
  })

  it('detects a folder with 21 files', () => {
    const folder = (name: string, files: number) =>
      Array.from({ length: files }, (_, index) => `src/${name}/file-${index}.ts`)
    expect(crowdedFolders([...folder('contract', 21), ...folder('client', 20)])).toEqual(['src/contract'])
  })

  it('detects a circle', () => {
    const needs = { a: ['b', 'c'], b: ['d'], c: ['d'], d: ['b'] }
    expect(circlesIn(new Map(Object.entries(needs)))).toEqual(['b → d → b'])
  })

  it('sees the longest chain of imports', () => {
    const needs = { a: ['b', 'c'], b: ['c', 'elsewhere'], c: ['d'], d: [] }
    expect(longestChains(new Map(Object.entries(needs)))[0]).toEqual(['a', 'b', 'c', 'd'])
  })

  it('detects side effects of an import', () => {
    expect(startsAtImport('a.ts', `export const server = createServer().listen(3000)`)).not.toEqual([])
    expect(startsAtImport('a.ts', `export const db = await open(':memory:')`)).not.toEqual([])
    expect(startsAtImport('a.ts', `if (x) run()`)).not.toEqual([])
    expect(startsAtImport('a.ts', `export class A { b = setInterval(f) }`)).toEqual([])
    expect(startsAtImport('a.ts', `export const start = () => { server.listen(1); setTimeout(f) }`)).toEqual(
      [],
    )
  })
})
