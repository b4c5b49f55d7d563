import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { crewRoles } from '#contract/crew/crew.ts'
import { quickMessageLabels, quickMessages } from '#contract/crew/messages.ts'
import { parse } from '#contract/parse.ts'
import { liveOperations, permissions } from '#contract/permissions.ts'
import { serviceTypeLabels } from '#contract/requests/requests.ts'
import { Catalogue, placeholdersOf } from '#contract/texts/catalogue.ts'

/** What crews read. */
const crewScreens = [
  'client/app/{crew.tsx,pushed-text.ts,service-worker.ts}',
  'client/app/commands/find-button.tsx',
  'client/app/owners/{deleted-restaurant,owner-navigation}.tsx',
  'client/features/{crew,messages}/**/*.{ts,tsx}',
  'client/features/accounts/sign-in/{continue-as,crew-login,forgot-password-link,restaurant-login,device-login,sign-in-page,credentials,robot-check}.tsx',
  'client/features/accounts/portal-selection.tsx',
  'client/features/accounts/sign-in/use-login-form.ts',
  'client/lib/browser/blank-page.ts',
  'client/lib/time/dates.ts',
  'client/lib/texts/format.ts',
  'client/ui/**/*.{ts,tsx}',
]
/** What only owners and managers read. */
const portalScreens = [
  'client/api/{passkeys,prices,use-owner-notices}.ts',
  'client/app/{admin,confirm-identity-dialog,error-boundary,management}.tsx',
  'client/app/commands/command-menu.tsx',
  'client/app/owners/{for-owners,restaurants-link}.tsx',
  'client/app/commands/commands.ts',
  'client/features/accounts/sign-in/{admin-login,management-login}.tsx',
  'client/features/accounts/{first-recovery-codes,forgot-password,management-setup}.tsx',
  'client/features/accounts/{new-password,onboarding,reset-password,restaurant-signup}.tsx',
  'client/features/accounts/sign-in/passkey-sign-in.tsx',
  'client/features/accounts/sign-in/use-second-factor-step.ts',
  'client/features/accounts/{demo-over,try-demo}.tsx',
  'client/features/{admin,management,owner,security}/**/*.{ts,tsx}',
  'client/features/landing/**/*.tsx',
  'client/ui/dialogs/confirm-dialog.tsx',
  'client/ui/{copy-button,new-recovery-codes}.tsx',
  'client/ui/page/{owner-notices,shortcut-cards,show-all-button}.tsx',
  'client/ui/requests/qr-picture.tsx',
  'client/ui/form/{new-password-fields,password-strength-meter}.tsx',
]
/** Texts of both, by which what the server says is recognized. */
const recognized = ['client/app/pushed-text.ts', 'client/lib/texts/sentences.ts']
/** What guests read has its own list of texts (`contract/guests/guest-texts.ts`); the others are given theirs. */
const readByGuests = [
  'client/app/guest-server.tsx',
  'client/features/guest/**/*.{ts,tsx}',
  'client/lib/texts/{asked-text,translate,translate-rich}.ts',
]
/** Where the server refuses what crews do. */
const refusingCrews = [
  'server/core/authorize.ts',
  'server/core/crew/{shift,role-calls,chosen-member,pins}.ts',
  'server/core/floor/muted-tables.ts',
  'server/core/{messages,requests}/**/*.ts',
  'server/core/push/actions.ts',
]

/** Where it refuses what owners and managers do. */
const refusingOwners = [
  'server/core/{authorize,errors,mailed-codes}.ts',
  'server/core/{accounts,billing,crew,export,floor,outside,analytics}/**/*.ts',
  'server/core/guests/needs.ts',
  'server/adapters/workers/export-worker-client.ts',
]

const list = (patterns: string[], except: string[] = []): string[] =>
  globSync(patterns, { cwd: 'src', exclude: ['**/*.test.*', ...except] }).toSorted()
const read = (file: string): string => readFileSync(`src/${file}`, 'utf8')

type Node = { type: string; start: number; end: number; [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )

function* walk(node: Node, skip: (node: Node) => boolean): Generator<Node> {
  if (skip(node)) return
  yield node
  for (const child of childrenOf(node)) yield* walk(child, skip)
}

const rootOf = (file: string, text: string): Node => {
  const root: unknown = parseSync(file, text).program
  if (!isNode(root)) throw new Error(`${file} was not parsed`)
  return root
}

/** The text of a literal or template; each value in it becomes `{}`. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return null
  return node['quasis'].map(({ value }: { value: { cooked: string } }) => value.cooked).join('{}')
}

const nameOf = (node: unknown): string =>
  isNode(node)
    ? typeof node['name'] === 'string'
      ? node['name']
      : nameOf(node['name'] ?? node['property'])
    : ''
const calleeOf = (node: Node): string =>
  /^(Call|New)Expression$/.test(node.type) ? nameOf(node['callee']) : ''
const attributeOf = (node: Node): string => (node.type === 'JSXAttribute' ? nameOf(node['name']) : '')

const textAttributes =
  /^(aria-label|title|placeholder|label|alt|description|subtitle|hint|pendingLabel|confirmLabel|cancelLabel|removeLabel|noneFound)$/
/** Attributes of components that look the text up themselves. */
const lookedUpAttributes = /^message$/

/** English in every language: commands, and what guests read on printed cards. */
const isEnglishElement = (node: Node): boolean => {
  if (node.type !== 'JSXElement' || !isNode(node['openingElement'])) return false
  const { openingElement } = node
  return (
    nameOf(openingElement) === 'code' ||
    childrenOf(openingElement).some(
      (child) => attributeOf(child) === 'lang' && isNode(child['value']) && textOf(child['value']) === 'en',
    )
  )
}

/** Neither shown to people nor a text: types, names of modules, keys, classes and other attributes. */
const isCode = (node: Node): boolean =>
  isEnglishElement(node) ||
  /^(TS(?!As|Satisfies|NonNull)\w+|ImportDeclaration|ExportAllDeclaration)$/.test(node.type) ||
  (attributeOf(node) !== '' &&
    !textAttributes.test(attributeOf(node)) &&
    !lookedUpAttributes.test(attributeOf(node))) ||
  ['classNames', 'querySelector', 'querySelectorAll', 'useFocusAfterRemoval', 'Error', 'error'].includes(
    calleeOf(node),
  )

const lookups = new Set(['t', 'tRich', 'plural', 'translate'])

/** Reads like English: more than one word, or a capital letter and small ones. */
const isEnglish = (text: string): boolean => {
  const words = text.replaceAll('Tableside', '').replaceAll('{}', ' ')
  return (
    /^\p{Lu}\p{Ll}/u.test(words.trim()) || /(?<![-.:[\]#\p{L}])\p{L}\p{Ll}* \p{Ll}{2,}(?![-:[])/u.test(words)
  )
}

/** No words of people: names of keys, markup, classes; and what only the sign-up says. */
const isKnownCode = (text: string): boolean =>
  /^(Arrow(Up|Down|Left|Right)|Page(Up|Down)|Enter|Escape|Home|End|Tab|Shift|Crew|Macintosh|Notification|PublicKeyCredential|([A-Z][a-z]+)+Error|Password Mismatch|<html.*)$/.test(
    text,
  ) ||
  (/^([^\p{Lu}.,?!…’]|\.\d)+$/u.test(text) && /(^| )\S*[a-z]-[a-z0-9(]/.test(text))

/** Texts that reach the screen without a lookup. */
function untranslated(file: string, text: string, known: ReadonlySet<string>): string[] {
  const found: string[] = []
  const report = (words: string): void => void found.push(`${file}: ${words.trim()}`)
  const look = (node: Node, isShown: boolean): void => {
    if (isCode(node) || lookups.has(calleeOf(node))) return
    if (node.type === 'JSXText' && /\p{L}/u.test(String(node['value']))) report(String(node['value']))
    const words = textOf(node)
    if (words !== null && /\p{L}/u.test(words.replaceAll('Tableside', ''))) {
      if (isShown && /\p{L}{2}/u.test(words)) report(words)
      else if (isEnglish(words) && !known.has(words) && !isKnownCode(words)) report(words)
    }
    for (const child of childrenOf(node)) look(child, showsChild(node, child, isShown))
  }
  look(rootOf(file, text), false)
  return found
}

/** Whether what stands there is shown as it is. */
function showsChild(node: Node, child: Node, isShown: boolean): boolean {
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return child.type === 'JSXExpressionContainer'
  if (node.type === 'JSXAttribute')
    return child === node['value'] && !lookedUpAttributes.test(attributeOf(node))
  if (/^(JSXExpressionContainer|ParenthesizedExpression|TemplateLiteral)$/.test(node.type)) return isShown
  if (/^(Conditional|Logical)Expression$/.test(node.type)) return isShown && child !== node['test']
  return false
}

/** The texts that are looked up by name. */
function lookedUp(file: string, text: string): { key: string; one: string | null }[] {
  return [...walk(rootOf(file, text), () => false)]
    .filter((node) => lookups.has(calleeOf(node)))
    .flatMap((call): { key: string; one: string | null }[] => {
      const [first, second, third] = Array.isArray(call['arguments']) ? call['arguments'].filter(isNode) : []
      if (calleeOf(call) === 'plural') {
        const [one, key] = [second && textOf(second), third && textOf(third)]
        return [{ key: key ?? '', one: one ?? '' }]
      }
      const parts = first ? [...walk(first, (node) => /^(Binary|Member)Expression$/.test(node.type))] : []
      return parts.flatMap((part) => {
        const key = part.type === 'Literal' ? textOf(part) : null
        return key !== null && key !== '' ? [{ key, one: null }] : []
      })
    })
}

/** Every literal of a file, among them tables of texts that are looked up later. */
const literals = (file: string): string[] =>
  [...walk(rootOf(file, read(file)), () => false)].flatMap((node) => textOf(node) ?? [])

/** The texts of refusals, and of what the live channel's client says itself. */
const refusals = (file: string): string[] =>
  [...walk(rootOf(file, read(file)), () => false)].flatMap((node) => {
    const callee = calleeOf(node)
    const given = Array.isArray(node['arguments']) ? node['arguments'].filter(isNode) : []
    // `refuseTable(…, 'The host stand is in no section')`.
    if (callee.startsWith('refuse')) return given.flatMap((each) => textOf(each) ?? []).filter(isEnglish)
    const said = given[/^(Refusal|LiveError)$/.test(callee) ? 1 : 0]
    const words = said ? textOf(said) : null
    if (words === null) return []
    if (callee === 'notFound') return [`${words} not found`]
    return /^(Refusal|LiveError|invalid|conflict|forbidden|unauthenticated)$/.test(callee) ? [words] : []
  })

/** What schemas say: the texts among the arguments of Valibot's functions. */
const validationMessages = (file: string): string[] =>
  [...walk(rootOf(file, read(file)), () => false)].flatMap((node) => {
    const callee = node['callee']
    if (calleeOf(node) === '' || !isNode(callee) || nameOf(callee['object']) !== 'v') return []
    const given = Array.isArray(node['arguments']) ? node['arguments'].filter(isNode) : []
    return given.flatMap((each) => textOf(each) ?? []).filter(isEnglish)
  })

/** `a.{ts,tsx}` as `a.ts` and `a.tsx`. */
function alternatives(pattern: string): string[] {
  const [braces = '', choices = ''] = /\{(.+?)\}/.exec(pattern) ?? []
  return braces === ''
    ? [pattern]
    : choices.split(',').flatMap((choice) => alternatives(pattern.replace(braces, choice)))
}

/** Without the names of its values. */
const shapeOf = (text: string): string => text.replaceAll(/\{\w+\}/g, '{}')

const readCatalogues = (folder: string) =>
  globSync(`catalogues/${folder}/*.json`)
    .toSorted()
    .map((path) => {
      const parsed = parse(Catalogue, JSON.parse(readFileSync(path, 'utf8')))
      if (!parsed.ok) throw new Error(`${path}: ${parsed.message}`)
      return { path, ...parsed.value }
    })
const keysOf = (...all: readonly { texts: Catalogue['texts'] }[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ texts }) => Object.keys(texts)))
const textsNeededBy = (files: string[]): ReadonlyMap<string, string | null> =>
  new Map(files.flatMap((file) => lookedUp(file, read(file)).map(({ key, one }) => [key, one])))

const files = list(crewScreens, [...portalScreens, ...recognized])
const portalFiles = list(portalScreens)
const recognizedFiles = list(recognized)
const catalogues = readCatalogues('staff')
const portalCatalogues = readCatalogues('portals')
const keys = keysOf(...catalogues)
const portalKeys = keysOf(...catalogues, ...portalCatalogues)
const needed = textsNeededBy([...files, 'client/lib/texts/sentences.ts'])
const neededByPortals = textsNeededBy(portalFiles)

const server = list(['server/**/*.ts'])
/** Categories of quick messages are the names of objects. */
const categories = [...read('contract/crew/messages.ts').matchAll(/^ {2}(\w+): \{$/gmu)].map(
  ([, name = '']) => name,
)
const timeZoneRegions = Intl.supportedValuesOf('timeZone').map((zone) => zone.replace(/\/.*/u, ''))
const said = new Set([
  ...needed.keys(),
  ...neededByPortals.keys(),
  ...[
    ...files,
    ...portalFiles,
    ...recognizedFiles,
    ...server,
    ...list(['contract/**/*.ts', 'client/api/**/*.ts']),
  ].flatMap(literals),
  ...categories,
  ...timeZoneRegions,
  ...server.flatMap(refusals),
])

describe('the texts of the crew’s screens', () => {
  it('are all looked up', () => {
    expect(files.flatMap((file) => untranslated(file, read(file), keys))).toEqual([])
  })

  it('include what the server refuses', () => {
    // Said to guests, to other programs, or only by a screen that is not ours.
    const others = [
      'Only the device that asked can do that',
      'Not a valid id',
      'Button not found',
      'Need not found',
      'Code not found',
      'Please choose a time to come',
      'Please set up your restaurant first',
      'This button was revoked. Please make a new one in the Admin Portal.',
      'Others at this table are asking right now. Please try again in a moment.',
      'The crew has just been told. If nobody comes, tell them again in {} s.',
      'A restaurant has at most {} buttons',
      'Guests do not sit at the host stand',
    ]
    const refused = list(refusingCrews).flatMap(refusals)
    expect(refused.length).toBeGreaterThan(15)
    const shapes = new Set([...keys].map(shapeOf))
    expect(refused.filter((words) => !shapes.has(words) && !others.includes(words))).toEqual([])
  })

  it('include what is refused to crews who send a live message', () => {
    const crews = Object.values(liveOperations).filter((operation) => permissions[operation].guest === 'no')
    const others = list(['server/core/**/*.ts'], refusingCrews).filter((file) => {
      const text = read(file)
      return crews.some((operation) => text.includes(`authorizeInRestaurant(actor, '${operation}')`))
    })
    expect(others).toEqual([])
  })

  it('include the names of roles, services and quick messages', () => {
    const names = [
      ...crewRoles,
      ...Object.values(serviceTypeLabels),
      ...Object.values(quickMessageLabels),
      ...Object.keys(quickMessages),
    ]
    expect(names.filter((name) => !keys.has(name))).toEqual([])
  })

  it('include what the live channel says itself', () => {
    const errors = list(['client/api/**/*.ts']).flatMap(refusals)
    expect(errors.length).toBeGreaterThan(3)
    expect(errors.filter((words) => !keys.has(words))).toEqual([])
  })

  it('include the notifications for the crew', () => {
    const forManagers = [
      'A guest at table {} wrote to you',
      'Table {} is still waiting',
      'Nobody is listening',
      'No crew screen is listening right now. Guests are told to wave.',
      'Somebody is listening again',
      'The crew hears new requests.',
    ]
    const shapes = new Set([...keys].map(shapeOf))
    const words = literals('server/core/push/notifications.ts').filter(isEnglish)
    expect(words.length).toBeGreaterThan(forManagers.length + 10)
    expect(words.filter((text) => !shapes.has(text) && !forManagers.includes(text))).toEqual([])
    const portalShapes = new Set([...portalKeys].map(shapeOf))
    expect(words.filter((text) => !portalShapes.has(text))).toEqual([])
  })

  it('are those of every file that looks a text up, which is listed above by who reads it', () => {
    const listed = new Set(
      [crewScreens, portalScreens, recognized, readByGuests].flatMap((patterns) => list(patterns)),
    )
    const looking = list(['client/**/*.{ts,tsx}']).filter((file) =>
      [...walk(rootOf(file, read(file)), () => false)].some((node) => lookups.has(calleeOf(node))),
    )
    expect(looking.length).toBeGreaterThan(100)
    expect(looking.filter((file) => !listed.has(file))).toEqual([])
  })

  it.each(
    [...crewScreens, ...portalScreens, ...recognized, ...readByGuests, ...refusingCrews].flatMap(
      alternatives,
    ),
  )('are looked for in %s', (pattern) => {
    expect(list([pattern])).not.toEqual([])
  })

  it('are machine-made until a speaker has read them', () => {
    const reviewedCatalogues: string[] = []
    const reviewed = [...catalogues, ...portalCatalogues].filter((catalogue) => catalogue.reviewed)
    expect(reviewed.map(({ path }) => path)).toEqual(reviewedCatalogues)
  })
})

describe('the texts of the portals', () => {
  it('are all looked up', () => {
    expect(portalFiles.flatMap((file) => untranslated(file, read(file), portalKeys))).toEqual([])
  })

  it('include what the server refuses, and what a form says', () => {
    // Only of programs that are not ours, or of the sandbox.
    const others = [
      'Sandbox not found',
      'Unknown quick message',
      'Not a valid id',
      'An id is required',
      '{} not found',
    ]
    const shapes = new Set([...portalKeys].map(shapeOf))
    const forms = list(
      ['contract/**/*.ts'],
      ['contract/texts/catalogue.ts', 'contract/{csp-reports,push}.ts', 'contract/crew/messages.ts'],
    )
    const refused = [...list(refusingOwners).flatMap(refusals), ...forms.flatMap(validationMessages)]
    expect(refused.length).toBeGreaterThan(150)
    const isKnown = (words: string): boolean =>
      shapes.has(words) || shapes.has(words.replace(/\d+/u, '{}')) || others.includes(words)
    // 'Please give …' answers software that leaves a list out, never a person.
    expect(refused.filter((words) => !isKnown(words) && !words.startsWith('Please give '))).toEqual([])
  })

  it('include how the server words what has values in it', () => {
    expect(recognizedFiles.flatMap((file) => untranslated(file, read(file), portalKeys))).toEqual([])
  })
})

describe.each(portalCatalogues)('the catalogue $path', ({ language, texts }) => {
  const crews = catalogues.find((catalogue) => catalogue.language === language)?.texts ?? {}

  it('has, with that of the crew, every text that is looked up', () => {
    const all = { ...crews, ...texts }
    expect([...neededByPortals.keys()].filter((key) => !Object.hasOwn(all, key))).toEqual([])
    expect([...portalKeys].filter((key) => !Object.hasOwn(all, key))).toEqual([])
  })

  it('says nothing twice that the crew’s says already', () => {
    expect(Object.keys(texts).filter((key) => crews[key] === texts[key])).toEqual([])
  })
})

/** As most keyboards have it; German ones say "Strg". */
const keyboardShortcut = 'Ctrl K'

/** What a language says in the very words of English; whatever names a table does so in French. */
const sharedWords: Record<string, readonly string[]> = {
  de: ['Live', 'Median', 'OK', 'PIN', 'Service'],
  es: ['Error', 'General', 'No', 'OK', 'PIN'],
  fr: [
    'Assistance',
    'assistance',
    'Message',
    'Messages',
    'Notifications',
    'OK',
    'Sections',
    'Service',
    'service',
    'Type',
  ],
  hi: ['PIN'],
  it: ['Home', 'No', 'OK', 'Password', 'PIN', '{count}× in {minutes} min'],
  pt: ['OK', 'PIN'],
  tr: ['PIN'],
  vi: ['OK'],
  'zh-Hans': ['PIN'],
}

describe.each(catalogues)('the catalogue $path', ({ language, texts }) => {
  it('has every text that is looked up', () => {
    expect([...needed.keys()].filter((key) => !Object.hasOwn(texts, key))).toEqual([])
    expect([...keys].filter((key) => !Object.hasOwn(texts, key))).toEqual([])
  })

  it('keeps a number and its unit in one line', () => {
    const units = Object.keys(texts).filter((key) => /^\{count\}[dhms]$/u.test(key))
    expect(units).toHaveLength(4)
    expect(units.filter((key) => JSON.stringify(texts[key]).includes(' '))).toEqual([])
  })

  it('leaves nothing in English, but for words that the language has too', () => {
    const tables = /^(?:\{what\} · )?tables?(?: \{\w+\})?(?: · \{what\} · \{count\}×)?$/iu
    const isShared = (key: string): boolean =>
      !/\p{L}/u.test(key.replaceAll(/\{\w+\}/gu, '')) ||
      key === keyboardShortcut ||
      Boolean(sharedWords[language]?.includes(key)) ||
      (language === 'fr' && tables.test(key))
    expect(Object.keys(texts).filter((key) => texts[key] === key && !isShared(key))).toEqual([])
  })
})

describe.each([...catalogues, ...portalCatalogues])('the catalogue $path', ({ path, language, texts }) => {
  it('is named after its language', () => {
    expect(path).toMatch(new RegExp(`^catalogues/(staff|portals)/${language}\\.json$`))
  })

  it('has no text that nobody says', () => {
    expect(Object.keys(texts).filter((key) => !said.has(key))).toEqual([])
  })

  it('has no text twice that differs only in its apostrophes', () => {
    const spellings = Map.groupBy(Object.keys(texts), (key) => key.replaceAll('’', "'"))
    expect([...spellings.values()].filter(({ length }) => length > 1)).toEqual([])
  })

  it('keeps the values of each text, and has the plural forms of its language', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const wrong = Object.entries(texts).filter(([key, translation]) => {
      const isPlural = Boolean(needed.get(key) ?? neededByPortals.get(key))
      if (typeof translation === 'string') {
        return (
          isPlural || placeholdersOf(translation).toSorted().join() !== placeholdersOf(key).toSorted().join()
        )
      }
      // French, Italian, Spanish and Portuguese have a form of their own only for millions.
      const missing = forms.filter((form) => !translation[form] && (form !== 'many' || forms.includes('few')))
      const values = placeholdersOf(key).filter((name) => name !== 'count')
      return (
        !isPlural || missing.length > 0 || values.some((name) => !translation.other.includes(`{${name}}`))
      )
    })
    expect(wrong.map(([key]) => key)).toEqual([])
  })
})

describe('the check of texts', () => {
  const known = new Set(['On my way'])
  it.each([
    ['a.tsx', `const a = <p>On my way</p>`],
    ['a.tsx', `const a = <button aria-label="On my way" />`],
    ['a.tsx', `const a = <p>{'On my way'}</p>`],
    ['a.tsx', `const a = <p>{isOpen ? 'On my way' : null}</p>`],
    ['a.tsx', `const a = <p>{isOpen && 'on my way'}</p>`],
    ['a.tsx', 'const a = <p title={`Table ${n}`} />'],
    ['a.ts', `toast({ title: 'Not in any catalogue' })`],
    ['a.ts', 'toast({ title: `Table ${n} waits` })'],
    ['a.ts', `const names = { all: 'Everything' }`],
  ])('finds in %s: %s', (file, text) => {
    expect(untranslated(file, text, known)).toHaveLength(1)
  })

  it.each([
    ['a.tsx', `const a = <p className="flex gap-2">{t('On my way')}</p>`],
    ['a.tsx', `const a = <p title={t('On my way')}>{count} · {name}</p>`],
    ['a.ts', `const names = { all: 'On my way' }`],
    ['a.ts', 'const url = `[data-request="${id}"]`'],
    ['a.ts', `import { a } from './On my way.ts'`],
  ])('accepts in %s: %s', (file, text) => {
    expect(untranslated(file, text, known)).toEqual([])
  })
})
