import { expect, it } from 'vitest'
import { MessageQueue } from './message-queue.ts'

/** `start` adds a task that runs until `end`. */
function setUp() {
  const queue = new MessageQueue()
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const start = (name: string, subject: string | null) =>
    queue.add(async () => {
      running.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      running.splice(running.indexOf(name), 1)
    }, subject)
  return { queue, running, start, end: (name: string) => ends.get(name)?.() }
}

it('handles side by side what is about different subjects, and in turn what is about one', async () => {
  const { queue, running, start, end } = setUp()
  const all = [start('a1', 'a'), start('a2', 'a'), start('b1', 'b')]
  await expect.poll(() => running).toEqual(['a1', 'b1'])
  end('a1')
  await expect.poll(() => running).toEqual(['b1', 'a2'])
  expect(queue.isIdle).toBe(false)
  for (const name of running) end(name)
  await Promise.all(all)
  expect(queue.isIdle).toBe(true)
})

it('handles what is about no subject after all before it, and before all after it', async () => {
  const { running, start, end } = setUp()
  void start('a1', 'a')
  const context = start('context', null)
  void start('a2', 'a')
  void start('b1', 'b')
  await expect.poll(() => running).toEqual(['a1'])
  end('a1')
  await expect.poll(() => running).toEqual(['context'])
  end('context')
  await context
  await expect.poll(() => running).toEqual(['a2', 'b1'])
})
