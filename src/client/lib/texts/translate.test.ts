import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plural, setCatalogue, t } from './translate.ts'

afterEach(() => setCatalogue('en', new Map()))

describe('in English', () => {
  it('says the text itself, with its values', () => {
    expect(t('On my way')).toBe('On my way')
    expect(t('{name} is on the way', { name: 'Maya {x}' })).toBe('Maya {x} is on the way')
    expect(t('A server may say {anything}')).toBe('A server may say {anything}')
    expect(t('constructor')).toBe('constructor')
  })

  it('knows one and many', () => {
    const count = (tables: number): string => plural(tables, 'One table', '{count} tables')
    expect([0, 1, 2].map(count)).toEqual(['0 tables', 'One table', '2 tables'])
  })
})

describe('in another language', () => {
  beforeEach(() =>
    setCatalogue(
      'ar',
      new Map<string, string | Record<'one' | 'two' | 'few' | 'other', string>>([
        ['Table {table}', 'طاولة {table}'],
        ['{count} tables', { one: 'طاولة', two: 'طاولتان', few: '{count} طاولات', other: '{count} طاولة' }],
      ]),
    ),
  )

  it('says what the catalogue has, and English where it has nothing', () => {
    expect(t('Table {table}', { table: '5' })).toBe('طاولة 5')
    expect(t('On my way')).toBe('On my way')
  })

  it('counts as the language does, with its general form where another is missing', () => {
    const count = (tables: number): string => plural(tables, 'One table', '{count} tables')
    expect([1, 2, 3, 11, 100].map(count)).toEqual(['طاولة', 'طاولتان', '3 طاولات', '11 طاولة', '100 طاولة'])
  })
})
