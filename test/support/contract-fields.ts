import type * as v from 'valibot'

/** The names of the fields that a schema takes. */
export function fieldsOf(schema: v.GenericSchema | undefined): string[] {
  if (schema === undefined) return []
  if ('entries' in schema) return Object.keys(schema.entries as object)
  if ('options' in schema) return (schema.options as v.GenericSchema[]).flatMap(fieldsOf)
  return 'pipe' in schema ? (schema.pipe as v.GenericSchema[]).flatMap(fieldsOf) : []
}

/** What the fields refer to where it exists. */
type Known = {
  restaurantName: string
  password: string
  day: string
  tableId: string
  tableNumber: string
  crewMemberId: string
  colleagueId: string
  hostId: string
}

/** A valid value of each field. */
export function rightFields(fields: string[], known: Known): Record<string, unknown> {
  const values: Record<string, unknown> = {
    restaurantName: known.restaurantName,
    restaurantId: known.restaurantName,
    email: 'a@example.com',
    password: known.password,
    username: known.restaurantName,
    name: 'Somebody',
    role: 'Server',
    date: known.day,
    sourceDate: known.day,
    weekdays: [0],
    weekday: 0,
    assignments: [{ tableId: known.tableId, crewMemberId: known.crewMemberId }],
    crewIds: [known.hostId],
    setupType: 'count',
    tableCount: 2,
    tableNumber: known.tableNumber,
    serviceType: 'check',
    crewMemberId: known.crewMemberId,
    targetCrewId: known.colleagueId,
    messageText: 'Hello',
    tables: ['1'],
    ids: ['no-such-request'],
    sound: true,
    push: false,
    endpoint: 'https://push.invalid/device',
    keys: {
      p256dh: Buffer.alloc(65, 4).toString('base64url'),
      auth: Buffer.alloc(16).toString('base64url'),
    },
    audience: 'crew',
    messageId: 'no-such-message',
    digits: '123456',
    token: 'x'.repeat(32),
    credential: {
      id: 'x',
      response: { clientDataJSON: 'x', attestationObject: 'x', authenticatorData: 'x', signature: 'x' },
    },
    id: 'no-such-thing',
  }
  return Object.fromEntries(
    fields.filter((field) => values[field] !== undefined).map((field) => [field, values[field]]),
  )
}
