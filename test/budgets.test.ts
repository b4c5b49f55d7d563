import { expect, it } from 'vitest'
import { measureSizes } from '../scripts/bundle-sizes.ts'

it('sends a guest the whole page in at most 80 kB', () => {
  const { script, css, fonts } = measureSizes().guest
  expect(script + css + fonts).toBeLessThanOrEqual(80_000)
  expect(Math.min(script, css, fonts)).toBeGreaterThan(0)
})

it('starts the Crew Dashboard with at most 130 kB of script', () => {
  expect(measureSizes().crew).toBeLessThanOrEqual(130_000)
})

it('starts the Admin Portal and the Management Portal with at most 180 kB of script each', () => {
  const { admin, management } = measureSizes()
  expect(Math.max(admin, management)).toBeLessThanOrEqual(180_000)
  expect(Math.min(admin, management)).toBeGreaterThan(0)
})
