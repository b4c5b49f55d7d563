import type { JsonSchema } from './contract-types.ts'

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A schema as a programmer would write the type, as HTML with links to the types that it names. */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { $ref, const: constant, enum: values, type, items, properties } = schema
  if (typeof $ref === 'string') {
    const name = $ref.replace(/^.*\//u, '')
    return `<a href="#type-${name}">${name}</a>`
  }
  if ('const' in schema) return literal(constant)
  if (Array.isArray(values)) return values.map(literal).join(' | ')
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return choices.map((choice: JsonSchema) => typeText(choice, indent)).join(' | ')
  if (type === 'array') return arrayText(items, indent)
  if (type === 'object') return objectText(schema, isRecord(properties) ? properties : {}, indent)
  return typeof type === 'string' ? `${type}${rulesOf(schema)}` : 'anything'
}

const literal = (value: unknown): string =>
  escapeHtml(typeof value === 'string' ? `'${value}'` : String(value))

export const isRecord = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

function arrayText(items: unknown, indent: string): string {
  const text = typeText(isRecord(items) ? items : {}, indent)
  return /[ |]/u.test(text) && !text.startsWith('<a') ? `(${text})[]` : `${text}[]`
}

function objectText(schema: JsonSchema, properties: JsonSchema, indent: string): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const deeper = `${indent}  `
  const lines = Object.entries(properties).flatMap(([name, value]) => {
    const field = isRecord(value) ? value : {}
    const comment = typeof field['description'] === 'string' ? field['description'] : ''
    return [
      ...(comment === '' ? [] : [`${deeper}<i>// ${escapeHtml(comment.replaceAll(/\s+/gu, ' '))}</i>`]),
      `${deeper}${escapeHtml(name)}${required.includes(name) ? '' : '?'}: ${typeText(field, deeper)}`,
    ]
  })
  const others = schema['additionalProperties']
  if (isRecord(others)) lines.push(`${deeper}[name: string]: ${typeText(others, deeper)}`)
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

/** What a value must also be. */
function rulesOf(schema: JsonSchema): string {
  const [max, preset] = [schema['maximum'], schema['default']]
  const rules = [
    textOf(schema['format']),
    textOf(schema['pattern']),
    range(textOf(schema['minLength']), textOf(schema['maxLength']), ' characters'),
    range(textOf(schema['minimum']), max === Number.MAX_SAFE_INTEGER ? '' : textOf(max), ''),
    preset === undefined ? '' : `if missing ${JSON.stringify(preset)}`,
  ].filter((rule) => rule !== '')
  return rules.length === 0 ? '' : ` <i>// ${escapeHtml(rules.join(', '))}</i>`
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : ''

function range(min: string, max: string, unit: string): string {
  if (min === '') return max === '' ? '' : `at most ${max}${unit}`
  if (min === '1' && max === '' && unit !== '') return 'not empty'
  return max === '' ? `at least ${min}${unit}` : `${min} to ${max}${unit}`
}
