import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import type { Operation } from '#contract/permissions.ts'
import type { AsyncApi } from '../../../scripts/developers/asyncapi.ts'
import type { OpenApi, OpenApiOperation } from '../../../scripts/developers/openapi.ts'
import type { TestResponse } from '../app.ts'

const folder = join(import.meta.dirname, '../../../dist/client/developers')
const readDocument = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

/** What the build wrote for other software. */
export const openApi: OpenApi = readDocument('openapi.json')
export const asyncApi: AsyncApi = readDocument('asyncapi.json')

export const documentedOperations: ReadonlyMap<string, OpenApiOperation & { method: string; path: string }> =
  new Map(
    Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { ...operation, method: method.toUpperCase(), path },
      ]),
    ),
  )

/** What a test validates may have no field that is not documented, although readers must expect some. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return 'properties' in copy && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

const components = closed(openApi.components)

function problemsOf(key: string, schema: unknown, value: unknown): string[] {
  const validate = validators.get(key) ?? ajv.compile({ allOf: [closed(schema)], components })
  validators.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${key} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** Fails unless the answer is one that the document describes; returns it. */
export function expectDocumented<T>(operation: Operation, answer: TestResponse<T>): TestResponse<T> {
  const responses = documentedOperations.get(operation)?.responses ?? {}
  const response = responses[answer.status] ?? (answer.status >= 400 ? responses['default'] : undefined)
  expect({ operation, status: answer.status, isDocumented: response !== undefined }).toMatchObject({
    isDocumented: true,
  })
  const { content } = resolve(response)
  const [type, media] = Object.entries((content ?? {}) as Record<string, { schema: unknown }>)[0] ?? []
  if (media === undefined || type === undefined) expect(answer.body).toBe('')
  else {
    expect(answer.headers.get('content-type')).toContain(type)
    const key = `${operation} ${answer.status}`
    expect(problemsOf(key, media.schema, answer.body)).toEqual([])
  }
  return answer
}

function resolve(response: Record<string, unknown> | undefined): Record<string, unknown> {
  const { $ref } = response ?? {}
  const name = typeof $ref === 'string' ? $ref.replace(/^.*\//u, '') : ''
  return openApi.components['responses']?.[name] ?? response ?? {}
}

/** Fails unless every message is one that the document describes. */
export function expectDocumentedMessages(messages: readonly ServerMessage[]): void {
  const problems = messages.flatMap((message) =>
    problemsOf(message.type, asyncApi.components.messages[message.type]?.payload ?? false, message),
  )
  expect([...new Set(problems)]).toEqual([])
}
