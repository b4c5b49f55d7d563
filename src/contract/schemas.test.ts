import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { fieldsOf, rightFields } from '../../test/support/contract-fields.ts'
import { api, type Route } from './api.ts'
import { ClientMessage } from './live.ts'
import { parse } from './parse.ts'
import { operationOf } from './permissions.ts'
import { nameKey } from './primitives.ts'

const routes: Route[] = Object.values(api).flatMap((group) => Object.values(group))

const schemas: [string, v.GenericSchema][] = [
  ...routes.flatMap((route) =>
    (['params', 'query', 'body'] as const).flatMap((part): [string, v.GenericSchema][] => {
      const schema = route[part]
      return schema ? [[`${part} of ${operationOf(route)}`, schema]] : []
    }),
  ),
  ['live message', ClientMessage],
]

const known = {
  restaurantName: 'Harbour Kitchen',
  password: 'copper-lantern-42',
  day: '2027-03-01',
  tableId: 'a-table',
  tableNumber: '1',
  crewMemberId: 'somebody',
  colleagueId: 'a-colleague',
  hostId: 'a-host',
}

describe('a schema', () => {
  it.for(schemas)('for the %s never throws, and accepts its own output', ([, schema]) => {
    const fields = fieldsOf(schema)
    const right = rightFields(fields, known)
    const anything = fc.oneof(
      fc.anything(),
      fc.dictionary(
        fc.constantFrom(...fields, 'type', '__proto__'),
        fc.oneof(fc.anything(), fc.string({ unit: 'binary' })),
      ),
      fc.string({ unit: 'binary' }).map((text) => ({ ...right, [fields[0] ?? '']: text })),
    )
    fc.assert(
      fc.property(anything, (input) => {
        const once = parse(schema, input)
        return once.ok
          ? isDeepStrictEqual(parse(schema, once.value), once)
          : !/\bexpected\b|received|undefined/iu.test(once.message)
      }),
      { numRuns: 100 },
    )
  })

  it('gives a name the same key, however often it is normalized', () => {
    for (let code = 1; code < 0x110000; code++) {
      const key = nameKey(`a${String.fromCodePoint(code)}B`)
      if (nameKey(key) !== key) throw new Error(`U+${code.toString(16)}`)
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(nameKey(nameKey(name))).toBe(nameKey(name))
      }),
    )
  })
})
