import { expect, it } from 'vitest'
import { measureSizes } from '../../scripts/bundle-sizes.ts'

// Too large? What is not needed at once is loaded when it is: `lazyPart` in client/lib/hooks/lazy.tsx.

it('sends a guest at most 34.8 kB of script, styles and fonts', () => {
  const { script, css, fonts } = measureSizes().guest
  expect(script + css + fonts).toBeLessThanOrEqual(34_800)
  expect(Math.min(script, css, fonts)).toBeGreaterThan(0)
})

it('starts the Crew Dashboard with at most 130 kB of script and styles', () => {
  const { script, css } = measureSizes().crew
  expect(script + css).toBeLessThanOrEqual(130_000)
  expect(Math.min(script, css)).toBeGreaterThan(0)
})

it('starts the Admin Portal with at most 180 kB of script, and the Management Portal with 150 kB', () => {
  const { admin, management } = measureSizes()
  expect(admin.script).toBeLessThanOrEqual(180_000)
  expect(management.script).toBeLessThanOrEqual(150_000)
  expect(Math.min(admin.script, management.script)).toBeGreaterThan(0)
})

it('starts each of the screens with at most 20 files', () => {
  const { crew, admin, management } = measureSizes()
  for (const { files } of [crew, admin, management]) expect(files).toBeLessThanOrEqual(20)
})
