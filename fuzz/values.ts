import fc from 'fast-check'
import type * as v from 'valibot'
import { changed } from './changes.ts'
import type { Known } from './references.ts'
import { weighted } from './weighted.ts'

/** What a schema says of itself; each kind of schema has some of it. */
type Parts = {
  type: string
  entries: Record<string, v.GenericSchema>
  item: v.GenericSchema
  wrapped: v.GenericSchema
  options: readonly unknown[]
  literal: unknown
  value: v.GenericSchema
  pipe: readonly (v.GenericSchema | Rule)[]
}

type Rule = { kind: string; type: string; requirement: unknown }

const partsOf = (schema: v.GenericSchema): Parts => schema as unknown as Parts

function rulesOf(schema: v.GenericSchema): Rule[] {
  const [, ...rest] = partsOf(schema).pipe ?? []
  return rest.flatMap((each) => (each.kind === 'schema' ? rulesOf(each as v.GenericSchema) : [each as Rule]))
}

function limitOf(rules: readonly Rule[], type: string): number | undefined {
  const { requirement } = rules.find((rule) => rule.type === type) ?? {}
  return typeof requirement === 'number' ? requirement : undefined
}

const lengthsOf = (rules: readonly Rule[]) => ({
  minLength: limitOf(rules, 'min_length') ?? limitOf(rules, 'length') ?? 0,
  maxLength: limitOf(rules, 'max_length') ?? limitOf(rules, 'length') ?? 400,
})

const words = ['Maya', 'Patio 3', 'Ünal', 'caffè', '東京', '7', 'Late shift', 'ok 👍', "O'Hara"]
const languages = ['en', 'de', 'pt-BR', 'zh-Hans', 'ar']

function textsOf(rules: readonly Rule[]): fc.Arbitrary<string> {
  const { requirement } = rules.find(({ type }) => type === 'regex') ?? {}
  if (requirement instanceof RegExp) return fc.stringMatching(requirement)
  const { minLength, maxLength } = lengthsOf(rules)
  return weighted(
    [4, fc.constantFrom(...words).map((word) => word.padEnd(minLength, '·').slice(0, maxLength))],
    [1, fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) })],
    [1, fc.constantFrom(minLength, maxLength).map((length) => 'n'.repeat(length))],
  )
}

function numbersOf(rules: readonly Rule[]): fc.Arbitrary<number> {
  const [min = -10, max = 2_000_000_000] = [limitOf(rules, 'min_value'), limitOf(rules, 'max_value')]
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))
}

/** The values of a schema inside this one. */
type Inside = (schema: v.GenericSchema, field?: string) => fc.Arbitrary<unknown>

const someOr = (none: unknown, some: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  weighted([1, fc.constant(none)], [3, some])

const oneOf = (options: readonly unknown[], inside: Inside): fc.Arbitrary<unknown> =>
  fc.oneof(...options.map((option) => inside(option as v.GenericSchema)))

const kinds: Record<string, (parts: Parts, rules: Rule[], inside: Inside) => fc.Arbitrary<unknown>> = {
  object: ({ entries }, _rules, inside) =>
    fc.record(
      Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, inside(schema, name)])),
    ),
  array({ item }, rules, inside) {
    const { minLength, maxLength } = lengthsOf(rules)
    return fc.array(inside(item), { minLength, maxLength: Math.min(maxLength, Math.max(minLength, 7)) })
  },
  // The keys of ours are languages.
  record: ({ value }, _rules, inside) =>
    fc.dictionary(fc.constantFrom(...languages), inside(value), { maxKeys: 3 }),
  optional: ({ wrapped }, _rules, inside) => someOr(undefined, inside(wrapped)),
  nullable: ({ wrapped }, _rules, inside) => someOr(null, inside(wrapped)),
  nullish: ({ wrapped }, _rules, inside) => someOr(null, inside(wrapped)),
  union: ({ options }, _rules, inside) => oneOf(options, inside),
  variant: ({ options }, _rules, inside) => oneOf(options, inside),
  picklist: ({ options }) => fc.constantFrom(...options),
  literal: ({ literal }) => fc.constant(literal),
  string: (_parts, rules) => textsOf(rules),
  number: (_parts, rules) => numbersOf(rules),
  boolean: () => fc.boolean(),
}

/** Mostly what the schema takes: it cannot say what all of its checks want. */
export function valuesOf(schema: v.GenericSchema, known: Known, field = ''): fc.Arbitrary<unknown> {
  const parts = partsOf(schema)
  const kind = kinds[parts.type.replace(/^(?:strict|loose)_/u, '')]
  const inside: Inside = (inner, name = field) => valuesOf(inner, known, name)
  const some = kind ? kind(parts, rulesOf(schema), inside) : fc.jsonValue()
  const meant = parts.type === 'string' ? known(schema, field) : undefined
  return meant ? weighted([5, meant], [1, some]) : some
}

/** What is right, what is nearly right, and anything at all. */
export function inputsFor(schema: v.GenericSchema, known: Known = () => undefined): fc.Arbitrary<unknown> {
  const right = valuesOf(schema, known)
  return weighted(
    [12, right],
    [7, changed(right)],
    [2, changed(changed(right))],
    [1, fc.jsonValue({ maxDepth: 3 })],
  )
}
