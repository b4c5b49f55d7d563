import { expect, it } from 'vitest'
import { createMetrics } from '../../src/server/adapters/metrics.ts'

it('measuring costs a few microseconds for each tap', () => {
  const metrics = createMetrics()
  const count = 20_000
  const observe = () => {
    for (let index = 0; index < count; index++) {
      metrics.answered('tap', 201, (index % 100) / 1000)
      metrics.happened('created')
      metrics.committed(1, 0.001)
    }
  }
  observe()
  const before = process.threadCpuUsage()
  observe()
  const { user, system } = process.threadCpuUsage(before)
  // What a tap adds: about 1 µs on the developers' machine. Processor time, so other work hardly counts.
  expect((user + system) / count).toBeLessThan(20)
  metrics.stop()
})
