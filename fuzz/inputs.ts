import fc from 'fast-check'
import type * as v from 'valibot'
import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import { api, type Route } from '#contract/api.ts'
import { ClientMessage } from '#contract/live.ts'
import { liveOperations, type Operation, operationOf, permissions } from '#contract/permissions.ts'
import { changed } from './changes.ts'
import { type Page, pages } from './pages.ts'
import { type ParsedText, parsedTexts } from './parsers.ts'
import { knownIn } from './references.ts'
import { inputsFor } from './values.ts'
import { weighted } from './weighted.ts'

/** All but guests and strangers are signed in. A stranger has a new browser each time. */
export const callers = ['owner', 'manager', 'crew', 'device', 'software', 'guest', 'stranger'] as const
export type Caller = (typeof callers)[number]

export type Call = {
  kind: 'call'
  by: Caller
  operation: Operation
  params: unknown
  query: unknown
  body: unknown
}
export type Message = { kind: 'message'; by: Caller; message: unknown }
/** Time passes, and what is due is done. */
export type Wait = { kind: 'wait'; seconds: number }
export type Input = Call | Message | Page | ParsedText | Wait

export const routes: ReadonlyMap<Operation, Route> = new Map(
  Object.values(api)
    .flatMap((group): Route[] => Object.values(group))
    .map((route) => [operationOf(route), route]),
)

/** Mostly those who may. */
function callersOf(operation: Operation): fc.Arbitrary<Caller> {
  const rights = permissions[operation]
  const entitled = callers.filter((caller) =>
    caller === 'software'
      ? apiScopeOf[operation] !== undefined
      : rights[caller === 'stranger' ? 'guest' : caller] !== 'no',
  )
  const anybody = fc.constantFrom(...callers)
  if (entitled.length === 0) return anybody
  return weighted([12, fc.constantFrom(...entitled)], [1, anybody])
}

function callsOf([operation, route]: [Operation, Route]): fc.Arbitrary<Call> {
  const known = knownIn(route.path)
  const nothing = fc.constant(undefined)
  const part = (schema: v.GenericSchema | undefined) => (schema ? inputsFor(schema, known) : nothing)
  return fc.record({
    kind: fc.constant('call' as const),
    by: callersOf(operation),
    operation: fc.constant(operation),
    params: part(route.params),
    query: part(route.query),
    body: part(route.body),
  })
}

const messageSchemas = ClientMessage.options

const messageTypes = messageSchemas.map(({ entries }) => entries.type.literal)

const messages: fc.Arbitrary<Message>[] = messageSchemas.map((schema) => {
  const type = schema.entries.type.literal
  return fc.record({
    kind: fc.constant('message' as const),
    by: callersOf(liveOperations[type]),
    message: inputsFor(schema, knownIn(type)),
  })
})

const anyMessage: fc.Arbitrary<Message> = fc.record({
  kind: fc.constant('message' as const),
  by: fc.constantFrom(...callers),
  message: fc.oneof(
    changed(fc.record({ type: fc.constantFrom(...messageTypes) })),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }),
    fc.jsonValue(),
  ),
})

const waits: fc.Arbitrary<Wait> = fc.record({
  kind: fc.constant('wait' as const),
  seconds: fc.constantFrom(1, 5, 20, 60, 200),
})

/** Every call is as likely as every other, and so is every live message. */
export const inputs: fc.Arbitrary<Input> = weighted<Input>(
  [12, fc.oneof(...[...routes].map(callsOf))],
  [6, fc.oneof(...messages)],
  [1, anyMessage],
  [4, pages],
  [4, parsedTexts],
  [1, waits],
)
