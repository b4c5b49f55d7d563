import { PendingAnswers, type Screen, type SystemUnderTest } from './systems/system-under-test.ts'

export const idleSockets = 2000
const baselineSockets = 200

/** The server must run with these: its memory is read through the inspector, after a garbage collection. */
export const inspectorOptions = ['--inspect=127.0.0.1:0']

export type PerSocket = { heap: number; resident: number }

/** Bytes per crew screen that is connected, has its list of requests, and is idle. */
export async function memoryPerSocket(system: SystemUnderTest): Promise<PerSocket> {
  const screens = await openScreens(system, baselineSockets)
  const before = await memoryOf(system)
  screens.push(...(await openScreens(system, idleSockets)))
  const after = await memoryOf(system)
  for (const screen of screens) screen.close()
  const perSocket = (bytes: number) => bytes / idleSockets
  return {
    heap: perSocket(after.heapUsed + after.external - before.heapUsed - before.external),
    resident: perSocket(after.rss - before.rss),
  }
}

async function openScreens(system: SystemUnderTest, count: number): Promise<Screen[]> {
  const screens: Screen[] = []
  while (screens.length < count) {
    screens.push(...(await Promise.all(Array.from({ length: 50 }, () => system.openScreen(0, () => {})))))
  }
  return screens
}

export async function memoryOf(system: SystemUnderTest): Promise<NodeJS.MemoryUsage> {
  const lines = system.servers.flatMap((server) => server.lines)
  const url = lines.map((line) => /Debugger listening on (ws:\S+)/u.exec(line)?.[1]).find(Boolean)
  const inspector = new WebSocket(url ?? '')
  const answers = new PendingAnswers<{ result?: { result?: { value: string } } }>()
  inspector.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data))
    answers.settle(String(answer.id), answer)
  })
  await new Promise((resolve, reject) => {
    inspector.addEventListener('open', resolve)
    inspector.addEventListener('error', reject)
  })
  let calls = 0
  const call = (method: string, params: object = {}) => {
    const answer = answers.waitFor(`${++calls}`)
    inspector.send(JSON.stringify({ id: calls, method, params }))
    return answer
  }
  for (let pass = 0; pass < 3; pass++) await call('HeapProfiler.collectGarbage')
  const { result } = await call('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' })
  inspector.close()
  return JSON.parse(result?.result?.value ?? '{}')
}
