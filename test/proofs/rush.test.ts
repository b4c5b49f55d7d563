import { expect, it } from 'vitest'
import { percentile } from '../../bench/load/statistics.ts'
import { mean, simulateEvening } from '../../bench/rush.ts'

it('sounds at most six times per person in ten minutes of a rush, and hardly ever calls the manager', async () => {
  const evenings = [await simulateEvening(1, false), await simulateEvening(1, true)]
  expect(mean(evenings.flatMap(({ perPerson }) => perPerson))).toBeLessThanOrEqual(6)
  const toAccept = evenings.flatMap((evening) => evening.toAccept)
  expect(percentile(toAccept, 0.9)).toBeLessThanOrEqual(20_000)
  expect(mean(evenings.map(({ toManager }) => toManager))).toBeLessThanOrEqual(0.03)
})
