import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Pool, types } from 'pg'
import { Server } from 'socket.io'
import { portOf } from '../../test/support/ports.ts'
import './end-with-parent.ts'

/**
 * The same work as most people would write it with socket.io: each request is stored and sent to a room. Sessions,
 * permissions, validation, repeats, events and sequence numbers are left out in its favour.
 *
 * node bench/systems/socket-io-server.ts <file or address of PostgreSQL> <storing>
 */
export type Storing =
  /** Each request is stored with a commit of its own. */
  | 'one commit per request'
  /** All requests that wait share one commit; on SQLite only. */
  | 'shared commits'
  /** The messages alone. */
  | 'nothing stored'

const [, , database = '', storing = 'one commit per request'] = process.argv

const schema = (ofTable: string) => `
  create table service_request (
    id text primary key,
    restaurant_id text not null,
    table_number text not null,
    service_type text not null,
    created_at bigint not null,
    accepted_at bigint,
    closed_at bigint
  ) ${ofTable};
  create index open on service_request (restaurant_id, created_at) where closed_at is null;
`
const statements = {
  insert: `insert into service_request (id, restaurant_id, table_number, service_type, created_at)
    values (?, ?, ?, ?, ?) on conflict (id) do nothing`,
  accept: `update service_request set accepted_at = ? where id = ? and closed_at is null`,
  close: `update service_request set closed_at = ? where id = ? and closed_at is null`,
  open: `select id, table_number as "tableNumber", service_type as "serviceType", created_at as timestamp
    from service_request where restaurant_id = ? and closed_at is null order by created_at`,
}

type Value = string | number
type Write = 'insert' | 'accept' | 'close'
type Storage = {
  /** Calls `done` once the work is durable. */
  write(statement: Write, values: Value[], done: () => void): void
  listOpen(restaurantId: string, done: (requests: unknown[]) => void): void
}

function openSqlite(path: string): Storage {
  const file = new DatabaseSync(path)
  file.exec(`pragma journal_mode = wal; pragma synchronous = full; ${schema('without rowid')}`)
  const prepared = {
    insert: file.prepare(statements.insert),
    accept: file.prepare(statements.accept),
    close: file.prepare(statements.close),
  }
  const open = file.prepare(statements.open)
  const run = (statement: Write, values: Value[]) => prepared[statement].run(...values)
  const waiting: { work: () => void; done: () => void }[] = []

  function commitWaiting(): void {
    const batch = waiting.splice(0)
    file.exec('begin immediate')
    for (const { work } of batch) work()
    file.exec('commit')
    for (const { done } of batch) done()
  }

  return {
    write(statement, values, done) {
      if (storing === 'shared commits') {
        if (waiting.push({ work: () => run(statement, values), done }) === 1) setImmediate(commitWaiting)
        return
      }
      if (storing === 'one commit per request') run(statement, values)
      done()
    },
    listOpen: (restaurantId, done) => done(open.all(restaurantId)),
  }
}

async function openPostgres(connectionString: string): Promise<Storage> {
  types.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({ connectionString })
  await pool.query(schema(''))
  // Prepared, in its favour.
  const query = (name: keyof typeof statements, values: Value[]) => {
    let parameters = 0
    return pool.query({ name, text: statements[name].replaceAll('?', () => `$${++parameters}`), values })
  }
  return {
    write: (statement, values, done) => void query(statement, values).then(done),
    listOpen: (restaurantId, done) => void query('open', [restaurantId]).then(({ rows }) => done(rows)),
  }
}

const storage = database.startsWith('postgres') ? await openPostgres(database) : openSqlite(database)

type NewRequest = { id: string; restaurantId: string; tableNumber: string; serviceType: string }
type Request = Omit<NewRequest, 'restaurantId'> & { timestamp: number; state: 'waiting' }

type FromClient = {
  'join-crew': (restaurantId: string, pending: (requests: unknown[]) => void) => void
  'join-table': (restaurantId: string, tableNumber: string, ack: () => void) => void
  'service-request': (request: NewRequest, ack: (request: Request) => void) => void
  'accept-request': TapOfCrew
  'complete-request': TapOfCrew
}
type TapOfCrew = (restaurantId: string, tableNumber: string, id: string, ack: () => void) => void
type FromServer = {
  'new-request': (request: Request) => void
  'request-updated': (request: Request) => void
  'request-accepted': (id: string) => void
  'request-completed': (id: string) => void
}

const http = createServer((request, response) => {
  if (request.method === 'GET') return response.end()
  void readBody(request).then((text) => {
    store(JSON.parse(text), (stored) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ request: stored }))
    })
  })
})

const io = new Server<FromClient, FromServer>(http, {
  transports: ['websocket'],
  perMessageDeflate: false,
  httpCompression: false,
  serveClient: false,
})
// As its documentation recommends to minimize the memory per socket.
io.engine.on('connection', (socket) => {
  socket.request = null
})

const crewRoom = (restaurantId: string) => `crew ${restaurantId}`
const tableRoom = (restaurantId: string, tableNumber: string) => `table ${restaurantId} ${tableNumber}`

function store({ restaurantId, ...fields }: NewRequest, answer: (request: Request) => void): void {
  const request: Request = { ...fields, timestamp: Date.now(), state: 'waiting' }
  storage.write(
    'insert',
    [fields.id, restaurantId, fields.tableNumber, fields.serviceType, request.timestamp],
    () => {
      io.to(crewRoom(restaurantId)).emit('new-request', request)
      io.to(tableRoom(restaurantId, fields.tableNumber)).emit('request-updated', request)
      answer(request)
    },
  )
}

io.on('connection', (socket) => {
  socket.on('join-crew', (restaurantId, pending) => {
    void socket.join(crewRoom(restaurantId))
    storage.listOpen(restaurantId, pending)
  })
  socket.on('join-table', (restaurantId, tableNumber, ack) => {
    void socket.join(tableRoom(restaurantId, tableNumber))
    ack()
  })
  socket.on('service-request', store)
  const onTap =
    (statement: Write, message: 'request-accepted' | 'request-completed'): TapOfCrew =>
    (restaurantId, tableNumber, id, ack) => {
      storage.write(statement, [Date.now(), id], () => {
        io.to(crewRoom(restaurantId)).emit(message, id)
        io.to(tableRoom(restaurantId, tableNumber)).emit(message, id)
        ack()
      })
    }
  socket.on('accept-request', onTap('accept', 'request-accepted'))
  socket.on('complete-request', onTap('close', 'request-completed'))
})

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

// Fastify's default, which is longer than guests pause between requests.
http.keepAliveTimeout = 72_000
process.once('SIGTERM', () => process.exit(0))
http.listen(0, '127.0.0.1', () => {
  console.log(`socket.io is running at http://127.0.0.1:${portOf(http)}`)
})
