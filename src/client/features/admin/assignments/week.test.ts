import { expect, it } from 'vitest'
import { weekContaining } from './week.ts'

const ends = (today: string, day: string): (string | undefined)[] => {
  const week = weekContaining(today, day)
  expect(week).toHaveLength(7)
  expect(week).toContain(day)
  return [week[0], week[6]]
}

it('the first week starts today, and others follow', () => {
  expect(ends('2026-11-20', '2026-11-20')).toEqual(['2026-11-20', '2026-11-26'])
  expect(ends('2026-11-20', '2026-11-26')).toEqual(['2026-11-20', '2026-11-26'])
  expect(ends('2026-11-20', '2026-11-27')).toEqual(['2026-11-27', '2026-12-03'])
})

it('weeks go on across the end of a year and clock changes, back and forth', () => {
  expect(ends('2026-01-03', '2026-01-02')).toEqual(['2025-12-27', '2026-01-02'])
  expect(ends('2026-03-28', '2026-04-04')).toEqual(['2026-04-04', '2026-04-10'])
})
