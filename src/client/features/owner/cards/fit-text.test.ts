import { expect, it } from 'vitest'
import { fitText } from './fit-text.ts'

/** As wide as a font whose M is twice as wide as its other letters. */
const measure = (text: string): number => (text.length + text.replaceAll(/[^M]/gu, '').length) / 2
const box = { width: 36, height: 20, size: 20, readable: 3, lineHeight: 1 }

it('goes by width, not by length', () => {
  expect(fitText('1', box, measure)).toBe(20)
  expect(fitText('111', box, measure)).toBe(20)
  expect(fitText('MMM', box, measure)).toBeLessThan(12)
  expect(fitText('MMM', box, measure)).toBeGreaterThan(11)
})

it('breaks between words, if that makes them larger', () => {
  const size = fitText('Patio MMM', box, measure)
  expect(size).toBeLessThanOrEqual(10)
  expect(size).toBeGreaterThan(9.5)
  // In one line.
  expect(fitText('PatioMMM', box, measure)).toBeLessThan(size)
})

it('breaks words only where they would be too small to read', () => {
  const unbroken = fitText('M'.repeat(11), box, measure)
  expect(unbroken * 11).toBeLessThan(36)
  // Five lines of eight.
  const broken = fitText('M'.repeat(40), box, measure)
  expect(broken).toBeGreaterThan(3.8)
  expect(broken).toBeLessThanOrEqual(4)
  expect(fitText('👩‍👩‍👧‍👦'.repeat(30), { ...box, width: 5 }, () => 1)).toBeGreaterThan(2)
})

it('gives several texts one size, each from its own line on', () => {
  expect(fitText(['1', '2'], box, measure)).toBeLessThanOrEqual(10)
  expect(fitText(['1', '2'], box, measure)).toBeGreaterThan(9.5)
  // Three lines and two.
  const size = fitText(['M'.repeat(22), 'M'.repeat(16)], box, measure)
  expect(size).toBeGreaterThan(3.8)
  expect(size).toBeLessThanOrEqual(4)
})

it('ends, whatever the text', () => {
  expect(fitText('', box, measure)).toBe(20)
  expect(fitText('M'.repeat(1_000), box, measure)).toBeGreaterThan(0)
  expect(fitText('7', box, () => Number.NaN)).toBeGreaterThan(0)
})
