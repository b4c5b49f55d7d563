import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('lets so many work at once, and the others in their order', async () => {
  const turns = new Semaphore(2)
  const begun: string[] = []
  const doors = new Map<string, () => void>()
  const work = (name: string) =>
    turns.run('one', async () => {
      begun.push(name)
      await new Promise<void>((resolve) => doors.set(name, resolve))
      return name
    })
  const all = ['a', 'b', 'c', 'd'].map(work)
  expect(begun).toEqual(['a', 'b'])
  doors.get('b')?.()
  await all[1]
  expect(begun).toEqual(['a', 'b', 'c'])
  doors.get('a')?.()
  doors.get('c')?.()
  await all[2]
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  doors.get('d')?.()
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

it('makes nobody wait for those of another name, and goes on after a failure', async () => {
  const turns = new Semaphore(1)
  const { promise, reject } = Promise.withResolvers<never>()
  const stuck = turns.run('one', () => promise)
  const next = turns.run('one', async () => 'next')
  expect(await turns.run('other', async () => 'other')).toBe('other')
  reject(new Error('broken'))
  await expect(stuck).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
