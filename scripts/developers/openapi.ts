import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import type { ApiScope } from '#contract/accounts/api-tokens.ts'
import { api, type Route } from '#contract/api.ts'
import { RefusalBody } from '#contract/errors.ts'
import { WebhookMessage } from '#contract/outside/webhooks.ts'
import { type Operation, operationOf, permissions } from '#contract/permissions.ts'
import type { ContractTypes, JsonSchema } from './contract-types.ts'
import { inputSchema } from './schemas.ts'

/** They answer 201 when they have made something, and 200 for a repeat. */
const alsoCreating: ReadonlySet<Operation> = new Set(['requests.send', 'buttons.press', 'guestNotes.send'])

/** They answer with a ZIP; other files are CSV. */
const archives: ReadonlySet<Operation> = new Set(['restaurant.download'])

export type OpenApiOperation = {
  operationId: Operation
  summary: string
  description?: string
  tags: [string]
  parameters?: JsonSchema[]
  requestBody?: JsonSchema
  responses: Record<string, JsonSchema>
  security: Record<string, string[]>[]
  /** Who may call it, by login. */
  'x-permissions': (typeof permissions)[Operation]
  /** The scope that a token needs for it; missing if no token may call it. */
  'x-scope'?: ApiScope | 'any'
}

export type OpenApi = {
  openapi: string
  info: JsonSchema
  servers: JsonSchema[]
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  webhooks: Record<string, { post: JsonSchema }>
  components: Record<string, Record<string, JsonSchema>>
}

const refusals = {
  Invalid: [400, 'The input is not as described here.'],
  Unauthenticated: [401, 'Nobody is signed in, or the login has ended.'],
  PaymentRequired: [402, 'The restaurant has no active subscription.'],
  Forbidden: [403, 'Signed in, but not allowed to do this, or not without having signed in recently.'],
  NotFound: [404, 'The restaurant has nothing with this id.'],
  RateLimited: [429, 'Too often. `Retry-After` says when to try again.'],
} as const
type RefusalName = keyof typeof refusals

const refusalContent = { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } }

export function createOpenApi({ operations, schemas }: ContractTypes, version: string): OpenApi {
  const routes = Object.values(api).flatMap((group): Route[] => Object.values(group))
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    const operationId = operationOf(route)
    const path = route.path.replaceAll(/:(\w+)/gu, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeOperation(route, operationId, operations[operationId] ?? {}),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tableside',
      summary: 'Restaurant guests ask for service at their table; the crew sees and answers live.',
      description:
        'Every call that a page of Tableside makes. Times are milliseconds since 1970. What happens live comes over a WebSocket: see asyncapi.json beside this file.',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.keys(api).map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(WebhookMessage.options.map(describeWebhook)),
    components: {
      schemas: { ...schemas, Refusal: inputSchema(RefusalBody) },
      responses: {
        ...Object.fromEntries(
          Object.entries(refusals).map(([name, [, description]]) => [
            name,
            { description, content: refusalContent, ...(name === 'RateLimited' && { headers: retryAfter }) },
          ]),
        ),
        Refused: {
          description: 'Refused: the code says why, the message is for people.',
          content: refusalContent,
        },
      },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-tsr',
          description: 'A browser session, from one of the logins.',
        },
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token of a restaurant, with its scopes.',
        },
      },
    },
  }
}

const webhookHeaders = {
  'webhook-id': 'The same in every attempt: what has come before need not be handled again.',
  'webhook-timestamp': 'When it was sent, in seconds since 1970. Refuse what is older than five minutes.',
  'webhook-signature':
    '`v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the secret, whose part after `whsec_` is base64.',
}

function describeWebhook(message: (typeof WebhookMessage.options)[number]): [string, { post: JsonSchema }] {
  return [
    message.entries.type.literal,
    {
      post: {
        summary: message.entries.type.literal,
        parameters: Object.entries(webhookHeaders).map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: { required: true, content: { 'application/json': { schema: inputSchema(message) } } },
        responses: {
          '2XX': { description: 'It arrived.' },
          default: { description: 'It is tried again for a day.' },
        },
      },
    },
  ]
}

const retryAfter = {
  'Retry-After': { description: 'In seconds.', schema: { type: 'integer', minimum: 0 } },
}

function describeOperation(
  route: Route,
  operationId: Operation,
  { description, reply }: ContractTypes['operations'][string],
): OpenApiOperation {
  const [group = '', name = ''] = operationId.split('.')
  const rights = permissions[operationId]
  const scope = apiScopeOf[operationId]
  const parameters = [...parametersOf(route, 'path'), ...parametersOf(route, 'query')]
  return {
    operationId,
    summary: `${inWords(group)}: ${inWords(name).toLowerCase()}`,
    ...(description && { description }),
    tags: [group],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: { required: true, content: { 'application/json': { schema: inputSchema(route.body) } } },
    }),
    responses: {
      ...successes(route, operationId, reply),
      ...Object.fromEntries(
        refusalsOf(route, rights).map((refusal) => [
          refusals[refusal][0],
          { $ref: `#/components/responses/${refusal}` },
        ]),
      ),
      default: { $ref: '#/components/responses/Refused' },
    },
    security: [
      ...(rights.guest === 'yes' ? [{}] : []),
      ...(Object.values(rights).some((right) => right !== 'no') ? [{ session: [] }] : []),
      ...(scope ? [{ token: scope === 'any' ? [] : [scope] }] : []),
    ],
    'x-permissions': rights,
    ...(scope && { 'x-scope': scope }),
  }
}

/** `copyFromPrevious` → `Copy from previous`. */
export function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function parametersOf(route: Route, place: 'path' | 'query'): JsonSchema[] {
  const schema = place === 'path' ? route.params : route.query
  if (!schema) return []
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, parameter]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: parameter,
  }))
}

function successes(
  route: Route,
  operationId: Operation,
  reply: JsonSchema | undefined,
): Record<string, JsonSchema> {
  if (!reply) return { 204: { description: 'Done.' } }
  const fileType = archives.has(operationId) ? 'application/zip' : 'text/csv'
  const type = reply['type'] === 'string' ? fileType : 'application/json'
  const success = { description: 'Done.', content: { [type]: { schema: reply } } }
  if (alsoCreating.has(operationId))
    return { 200: { ...success, description: 'There already.' }, 201: { ...success, description: 'Made.' } }
  return { [route.status ?? 200]: success }
}

function refusalsOf(route: Route, rights: (typeof permissions)[Operation]): RefusalName[] {
  const isForAnybody = rights.guest === 'yes'
  return [
    ...(route.params || route.query || route.body ? (['Invalid'] as const) : []),
    ...(isForAnybody ? [] : (['Unauthenticated'] as const)),
    ...(Object.values(rights).some((right) => right === 'paid') ? (['PaymentRequired'] as const) : []),
    ...(isForAnybody ? [] : (['Forbidden'] as const)),
    ...(route.params ? (['NotFound'] as const) : []),
    'RateLimited',
  ]
}
