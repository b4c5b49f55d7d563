import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createAsyncApi } from './asyncapi.ts'
import { readContractTypes } from './contract-types.ts'
import { createOpenApi } from './openapi.ts'
import { createPage, type Example } from './page.ts'

const root = join(import.meta.dirname, '../..')

/** What the page shows of `examples/`. A test runs each. */
export const shownExamples = [
  {
    file: 'ask-for-drinks.js',
    title: 'Ask for something, as a guest',
    text: 'Without any login: what a tap on the guest page sends.',
  },
  {
    file: 'read-figures.js',
    title: 'Read figures',
    text: 'With a token that has the scope figures:read.',
  },
  {
    file: 'follow-requests.js',
    title: 'Follow requests as they happen',
    text: 'With a token that has the scope requests:read.',
  },
  {
    file: 'receive-webhooks.js',
    title: 'Receive webhooks',
    text: 'With the secret that the owner was shown, as WEBHOOK_SECRET.',
  },
]

/** The page for developers and its documents, beside the built client. */
export async function writeDeveloperPages(client: string): Promise<void> {
  const folder = join(client, 'developers')
  await mkdir(folder, { recursive: true })
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const types = readContractTypes()
  const documents = { openApi: createOpenApi(types, version), asyncApi: createAsyncApi(types, version) }
  const examples = await Promise.all(shownExamples.map(readExample))
  const style = await readFile(join(import.meta.dirname, 'developers.css'), 'utf8')
  await Promise.all([
    writeFile(join(folder, 'openapi.json'), JSON.stringify(documents.openApi)),
    writeFile(join(folder, 'asyncapi.json'), JSON.stringify(documents.asyncApi)),
    writeFile(join(folder, 'index.html'), createPage(documents, examples, version)),
    writeFile(join(folder, 'developers.css'), fontFaces(client) + style),
  ])
}

const readExample = async (example: Omit<Example, 'code'>): Promise<Example> => ({
  ...example,
  code: await readFile(join(root, 'examples', example.file), 'utf8'),
})

/** Those of the staff app. */
function fontFaces(client: string): string {
  const fonts = [
    { family: 'Bricolage Grotesque', weight: '700', file: 'bricolage-????????.woff2' },
    { family: 'Atkinson Hyperlegible Next', weight: '400 700', file: 'atkinson-????????.woff2' },
  ]
  return fonts
    .map(({ family, weight, file }) => {
      const [path] = globSync(join(client, 'assets', file))
      if (path === undefined) throw new Error(`The build has no ${file}`)
      const url = `/assets/${basename(path)}`
      return `@font-face {\n  font-family: '${family}';\n  src: url('${url}') format('woff2');\n  font-weight: ${weight};\n  font-display: swap;\n}\n\n`
    })
    .join('')
}
