import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (file: string): string => readFileSync(file, 'utf8')

/** The names in the object of which this is the beginning. */
function namesIn(file: string, beginning: RegExp): string[] {
  const [, object = ''] = new RegExp(`${beginning.source}(.*?)\\n\\}`, 'su').exec(read(file)) ?? []
  return [...object.matchAll(/^ {2}(?:'([^']*)'|([\w-]+)):/gmu)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
}

const ownersPages = namesIn('src/client/app/routes.tsx', /const ownerPages: .+? = \{/)
const sections = namesIn('src/client/features/admin/navigation.tsx', /const sections = \{/)
const sectionPaths = sections.map((section) => `/admin-dashboard${section && `/${section}`}`)

/** By themselves, or the last part of a section's path. */
const isIn = (text: string) => (path: string) =>
  text.includes(`'${path}'`) ||
  (path.startsWith('/admin-dashboard/') &&
    text.includes('/admin-dashboard/${') &&
    text.includes(`'${path.slice(17)}'`))

describe('every screen of an owner', () => {
  it('is known', () => {
    expect(ownersPages).toContain('/admin/cards')
    expect(sections).toContain('audit-log')
  })

  it.each([
    'src/client/app/commands/commands.ts',
    'test/screens/routes.test.tsx',
    'test/proofs/screens/portal-sizes.test.ts',
  ])('is in %s', (file) => {
    const isListed = isIn(read(file))
    expect([...ownersPages, ...sectionPaths].filter((path) => !isListed(path))).toEqual([])
  })

  it('as a section, is looked at for accessibility, with whatever stands in it', () => {
    const isListed = isIn(read('test/proofs/screens/admin-accessibility.test.ts'))
    // The Overview is what opens first there.
    expect(sectionPaths.filter((path) => path !== '/admin-dashboard' && !isListed(path))).toEqual([])
  })
})
