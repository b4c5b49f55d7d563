import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import type { JsonSchema } from './contract-types.ts'

/** What a caller may send. Rules that JSON Schema cannot express, such as that a date exists, are left out. */
export function inputSchema(schema: GenericSchema): JsonSchema {
  const { $schema: _dialect, ...converted } = toJsonSchema(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'regex' &&
      'requirement' in valibotAction &&
      valibotAction.requirement instanceof RegExp
        ? { ...jsonSchema, pattern: valibotAction.requirement.source }
        : undefined,
  })
  return converted
}
