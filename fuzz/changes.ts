import fc from 'fast-check'
import { maliciousPieces, maliciousTexts, maliciousValues } from './malicious.ts'
import { referencePattern } from './references.ts'
import { weighted } from './weighted.ts'

/** Also halves of characters, and what cannot be seen. */
export const anyUnit = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code))

const index = fc.nat({ max: 0x7fffffff })

const leftOut = Symbol('left out')

type Change = (value: unknown) => unknown

const changeOfAnything: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...maliciousValues).map((other) => () => other),
  fc.constantFrom<Change>(
    () => leftOut,
    (value) => [value],
    (value) => ({ value }),
    (value) => (Array.isArray(value) ? [...value, ...value] : JSON.stringify(value)),
  ),
)

/** A character, or a whole reference. */
const unit = new RegExp(`${referencePattern.source}|[^]`, 'gu')

const unitsOf = (text: string): string[] => text.match(unit) ?? []

const changeOfText: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.constantFrom(...maliciousTexts).map((other) => () => other),
  fc.tuple(fc.constantFrom(...maliciousPieces), index).map(([piece, at]) => (text: string) => {
    const units = unitsOf(text)
    return units.toSpliced(at % (units.length + 1), 0, piece).join('')
  }),
  index.map((at) => (text: string) => {
    const units = unitsOf(text)
    return units.toSpliced(at % (units.length + 1), 1).join('')
  }),
  fc.constantFrom(2, 40, 600).map((times) => (text: string) => text.repeat(times).slice(0, 20_000)),
)

const changeOfNumber: fc.Arbitrary<(number: number) => unknown> = fc.oneof(
  fc.constantFrom(1, -1, 0.5, 2 ** 31, 2 ** 53, -1e15).map((by) => (number: number) => number + by),
  fc.constantFrom(-1, 0, 1_000, 1e300).map((by) => (number: number) => number * by),
  fc.constant((number: number) => String(number)),
)

const changeOfItsKind: fc.Arbitrary<Change> = fc
  .tuple(changeOfAnything, changeOfText, changeOfNumber)
  .map(([ofAnything, ofText, ofNumber]) => (value) => {
    if (typeof value === 'string') return ofText(value)
    return typeof value === 'number' ? ofNumber(value) : ofAnything(value)
  })

type Path = readonly string[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const within = Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))
  return path.length === 0 && within.length > 0 ? within : [path, ...within]
}

function changeAt(value: unknown, [key, ...rest]: Path, change: Change): unknown {
  if (key === undefined) return change(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([name, inner]): [string, unknown] => [name, name === key ? changeAt(inner, rest, change) : inner])
    .filter(([, inner]) => inner !== leftOut)
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** The value with one thing changed, anywhere in it. */
export const changed = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, index, fc.oneof(changeOfAnything, changeOfItsKind)).map(([value, at, change]) => {
    const paths = pathsOf(value)
    const result = changeAt(value, paths[at % paths.length] ?? [], change)
    return result === leftOut ? undefined : result
  })

export const changedText = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(texts, changeOfText).map(([text, change]) => change(text))

/** One of the texts, mostly with something changed. */
export function nearly(...texts: string[]): fc.Arbitrary<string> {
  const right = fc.constantFrom(...texts)
  return weighted([3, right], [4, changedText(right)], [1, changedText(changedText(right))])
}
