import { expect, it } from 'vitest'
import { oncePerTurn } from './once-per-turn.ts'

const endTurn = () => new Promise((resolve) => setImmediate(resolve))

it('hands over together what comes in one turn', async () => {
  const handedOver: number[][] = []
  const add = oncePerTurn<number>((items) => handedOver.push(items))
  add(1)
  add(2)
  expect(handedOver).toEqual([])
  await endTurn()
  expect(handedOver).toEqual([[1, 2]])
  await endTurn()
  expect(handedOver).toEqual([[1, 2]])
})

it('hands over once more what comes while it does so', async () => {
  const handedOver: number[][] = []
  const add = oncePerTurn<number>((items) => {
    handedOver.push(items)
    if (items[0] === 1) add(2)
  })
  add(1)
  await endTurn()
  expect(handedOver).toEqual([[1], [2]])
})

it('goes on after it could not hand over', async () => {
  const ends: (() => void)[] = []
  const handedOver: number[][] = []
  const add = oncePerTurn<number>(
    (items) => {
      if (items[0] === 1) throw new Error('Not now')
      handedOver.push(items)
    },
    (end) => ends.push(end),
  )
  add(1)
  expect(ends[0]).toThrow('Not now')
  add(2)
  ends[1]?.()
  expect(handedOver).toEqual([[2]])
})
