import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Log } from '../ports/monitoring.ts'
import { createLogger } from './pino-logger.ts'

function recorded() {
  const lines: string[] = []
  const log = createLogger({ write: (line) => void lines.push(line) })
  const port: Log = log
  return { log, port, lines, entries: (): unknown[] => lines.map((line) => JSON.parse(line)) }
}

describe('the log', () => {
  it('has one JSON line per entry', () => {
    const { port, lines, entries } = recorded()
    port.info({ restaurantId: 'r1', at: new Date(0), counts: new Map([['guests', 2]]) }, 'opened')
    port.warn({}, 'two\nlines')
    expect(lines.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1)).toBe(true)
    expect(entries()).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        restaurantId: 'r1',
        at: '1970-01-01T00:00:00.000Z',
        counts: { guests: 2 },
        msg: 'opened',
      },
      { level: 'warn', time: expect.any(String), msg: 'two\nlines' },
    ])
  })

  it('leaves out secrets at any depth', () => {
    const { port, lines } = recorded()
    const canary = 'canary-4711'
    const names = `cookie authorization set-cookie stripe-signature password confirmPassword pin
      clientSecret k token qrCodeDataUrl messageText`.split(/\s+/)
    const secrets = Object.fromEntries(names.map((name) => [name, canary]))
    port.error({ ...secrets, a: { b: [{ c: { d: new Map(Object.entries(secrets)) } }] } }, 'refused')
    port.error({ error: Object.assign(new Error('refused'), { ...secrets, detail: canary }) }, 'refused')
    expect(lines.join('')).not.toContain(canary)
    expect(lines[0]).toContain('"pin":"[redacted]"')
  })

  it('includes the stack and the causes of errors', () => {
    const { port, entries } = recorded()
    const cause = Object.assign(new RangeError('disk full'), { code: 'ENOSPC' })
    port.error({ error: new Error('not stored', { cause }) }, 'unexpected error')
    port.error({ error: new AggregateError([new Error('one'), 'two'], 'both') }, 'unexpected errors')
    expect(entries()).toMatchObject([
      {
        error: {
          type: 'Error',
          message: 'not stored',
          stack: expect.stringContaining('pino-logger.test.ts'),
          cause: { type: 'RangeError', message: 'disk full', code: 'ENOSPC', stack: expect.any(String) },
        },
      },
      { error: { message: 'both', errors: [{ message: 'one' }, 'two'] } },
    ])
  })

  it('survives values that cannot be serialized', () => {
    const { port, entries } = recorded()
    const circle: { self?: object } = {}
    circle.self = circle
    port.info(
      { circle, big: 10n, never: Number.NaN, server: new URL('http://localhost'), fn: () => 1 },
      'odd',
    )
    expect(entries()).toMatchObject([{ big: '10', never: null, server: '[URL]', msg: 'odd' }])
  })

  it('logs for Fastify, without the query', async () => {
    const { log, lines, entries } = recorded()
    const server = fastify({ loggerInstance: log })
    server.get('/customer', (request, reply) => {
      request.log.info({ body: { password: 'canary-4711' } }, 'asked')
      return reply.send({})
    })
    await server.inject({ url: '/customer?r=Bistro&k=canary-4711', headers: { cookie: 'id=canary-4711' } })
    await server.close()
    expect(lines.join('')).not.toContain('canary-4711')
    expect(entries()).toMatchObject([
      { req: { method: 'GET', path: '/customer' }, msg: 'incoming request' },
      { body: { password: '[redacted]' }, msg: 'asked' },
      { res: { statusCode: 200 }, msg: 'request completed' },
    ])
  })
})
