import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import { ClientMessage } from '#contract/live.ts'
import { liveOperations, permissions } from '#contract/permissions.ts'
import type { ContractTypes, JsonSchema } from './contract-types.ts'
import { inputSchema } from './schemas.ts'

export type AsyncApi = {
  asyncapi: string
  info: JsonSchema
  defaultContentType: string
  servers: Record<string, JsonSchema>
  channels: Record<string, JsonSchema & { messages: Record<string, JsonSchema> }>
  operations: Record<string, JsonSchema & { action: 'send' | 'receive' }>
  components: { messages: Record<string, LiveMessage>; schemas: Record<string, JsonSchema> }
}
export type LiveMessage = { name: string; summary?: string; payload: JsonSchema }

/** The live channel from the server's side: it receives what clients send. */
export function createAsyncApi(types: ContractTypes, version: string): AsyncApi {
  const clientMessages = Object.fromEntries(
    ClientMessage.options.map((option): [string, JsonSchema] => [
      option.entries.type.literal,
      inputSchema(option),
    ]),
  )
  const all = { ...clientMessages, ...types.serverMessages }
  const inChannel = (name: string) => ({ $ref: `#/channels/live/messages/${name}` })
  const channel = { $ref: '#/channels/live' }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tableside, live',
      description:
        'One WebSocket per screen. Every message is a JSON object with a `type`. A client may add a `ref`, and the answer repeats it. Messages with a `seq` are numbered within their stream: after a gap, ask for the list again.',
      version,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      tableside: {
        host: '{host}',
        pathname: '/ws',
        protocol: 'wss',
        variables: { host: { description: 'Where this Tableside runs.', default: 'localhost:3000' } },
      },
    },
    channels: {
      live: {
        address: '/ws',
        messages: Object.fromEntries(
          Object.keys(all).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ...Object.fromEntries(
        Object.keys(clientMessages).map((name): [string, AsyncApi['operations'][string]] => [
          `receive-${name}`,
          {
            action: 'receive',
            channel,
            messages: [inChannel(name)],
            reply: { channel, messages: [inChannel('ack'), inChannel('error')] },
            'x-operation': operationOf(name),
            'x-permissions': permissions[operationOf(name)],
            ...(apiScopeOf[operationOf(name)] && { 'x-scope': apiScopeOf[operationOf(name)] }),
          },
        ]),
      ),
      ...Object.fromEntries(
        Object.keys(types.serverMessages).map((name): [string, AsyncApi['operations'][string]] => [
          `send-${name}`,
          { action: 'send', channel, messages: [inChannel(name)] },
        ]),
      ),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries(all).map(([name, payload]) => {
          const summary = types.messageComments[name]
          return [name, { name, ...(summary && { summary }), payload }]
        }),
      ),
      schemas: usedSchemas(types.serverMessages, types.schemas),
    },
  }
}

function operationOf(name: string): (typeof liveOperations)[keyof typeof liveOperations] {
  const [, operation] = Object.entries(liveOperations).find(([type]) => type === name) ?? []
  if (operation === undefined) throw new Error(`${name} has no operation`)
  return operation
}

/** Those that the messages refer to, and those that these refer to. */
function usedSchemas(
  root: unknown,
  schemas: Record<string, JsonSchema>,
  used: Record<string, JsonSchema> = {},
): Record<string, JsonSchema> {
  for (const [, name = ''] of JSON.stringify(root).matchAll(/#\/components\/schemas\/(\w+)/gu)) {
    const schema = schemas[name]
    if (!schema || name in used) continue
    used[name] = schema
    usedSchemas(schema, schemas, used)
  }
  return used
}
