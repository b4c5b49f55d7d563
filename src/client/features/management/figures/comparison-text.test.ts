import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setCatalogue } from '../../../lib/texts/translate.ts'
import {
  compareValues,
  comparison,
  dayLabelFormatter,
  previousValueText,
  incompleteText,
  missingBeforeText,
} from './comparison-text.ts'

const speak = (lang: string): void => void vi.stubGlobal('document', { documentElement: { lang } })

beforeEach(() => speak('en'))
afterEach(() => {
  setCatalogue('en', new Map())
  vi.unstubAllGlobals()
})

it('words a comparison to suit what is measured', () => {
  expect(comparison('countUsualDay', 12)).toBe('12% more than a usual day of the week before')
  expect(comparison('countOnUsualDay', -4)).toBe('4% fewer than on a usual day of the week before.')
  expect(comparison('timeWeek', -8)).toBe('8% faster than the week before')
  expect(comparison('timeInWeek', 0)).toBe('As fast as in the week before.')
  expect(comparison('timeWeek', null)).toBeNull()
})

it('compares with the same number of days before', () => {
  const day = { from: '2026-11-20', to: '2026-11-20' }
  const week = { from: '2026-11-14', to: '2026-11-20' }
  expect(previousValueText('9', day)).toBe('9 on the day before')
  expect(previousValueText('9', week)).toBe('9 in the 7 days before')
  expect(compareValues('count', 3, 2, day)).toBe('50% more than on the day before')
  expect(compareValues('time', 2, 2, week)).toBe('as fast as in the 7 days before')
})

it('says that a range is not over yet', () => {
  const text = (from: string, to: string): string | null => incompleteText({ from, to }, '2026-11-20')
  expect(text('2026-11-14', '2026-11-19')).toBeNull()
  expect(text('2026-11-14', '2026-11-20')).toBe('Today is not over yet.')
  expect(text('2026-11-20', '2026-12-24')).toBe('Today is not over yet.')
  expect(text('2026-11-21', '2026-12-24')).toBe('These days are still to come.')
})

it('says why there is nothing to compare with', () => {
  const text = (keptFrom: string | null, firstDay: string | null) =>
    missingBeforeText({ before: { from: '2026-11-09', to: '2026-11-15' }, keptFrom, firstDay })
  expect(text(null, null)).toBeNull()
  expect(text(null, '2026-11-09')).toBeNull()
  expect(text(null, '2026-11-10')).toBe('Not compared: the first request was on Nov 10, 2026.')
  expect(text('2026-11-10', null)).toBe(
    'Requests from before Nov 10, 2026 were removed, as set under Settings.',
  )
})

it('adds the year when the range crosses one', () => {
  expect(dayLabelFormatter({ from: '2026-01-01', to: '2026-12-31' })('2026-11-20')).toBe('Nov 20')
  expect(dayLabelFormatter({ from: '2025-11-20', to: '2026-11-20' })('2026-11-20')).toBe('Nov 20, 2026')
})

it('compares and names days in the page’s language', () => {
  speak('de')
  setCatalogue(
    'de',
    new Map([
      [
        '{percent} slower than in the {count} days before',
        '{percent} langsamer als in den {count} Tagen davor',
      ],
    ]),
  )
  const week = { from: '2026-11-14', to: '2026-11-20' }
  expect(compareValues('time', 112, 100, week)).toBe('12\u00a0% langsamer als in den 7 Tagen davor')
  expect(dayLabelFormatter({ from: '2026-01-01', to: '2026-12-31' })('2026-11-20')).toBe('20. Nov.')
})
