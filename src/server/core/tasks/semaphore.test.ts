import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('runs up to its limit at once, and the others in order of arrival', async () => {
  const semaphore = new Semaphore(2)
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const run = (name: string) =>
    semaphore.run('key', async () => {
      started.push(name)
      await new Promise<void>((resolve) => finish.set(name, resolve))
      return name
    })
  const all = ['a', 'b', 'c', 'd'].map(run)
  expect(started).toEqual(['a', 'b'])
  finish.get('b')?.()
  await all[1]
  expect(started).toEqual(['a', 'b', 'c'])
  finish.get('a')?.()
  finish.get('c')?.()
  await all[2]
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  finish.get('d')?.()
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

it('limits each key separately, and goes on after a task fails', async () => {
  const semaphore = new Semaphore(1)
  const { promise, reject } = Promise.withResolvers<never>()
  const stuck = semaphore.run('key', () => promise)
  const next = semaphore.run('key', async () => 'next')
  expect(await semaphore.run('other', async () => 'other')).toBe('other')
  reject(new Error('broken'))
  await expect(stuck).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
