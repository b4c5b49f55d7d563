// @vitest-environment jsdom
import { expect, it, onTestFinished } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { ownerPaths } from '../routes.tsx'
import { findCommands, listCommands, listThings } from './commands.ts'

const tables: Table[] = ['1', '12', 'Patio 2'].map((tableNumber) => ({
  id: tableNumber,
  tableNumber,
  category: 'table',
}))
const people: CrewMember[] = [
  { id: 'maya', name: 'Maya Lindqvist', role: 'Server' },
  { id: 'zoe', name: 'Zoë', role: 'Host' },
]
const all = [...listCommands('owner'), ...listThings(tables, people, '2026-11-23')]
const find = (query: string): string[] => findCommands(all, query).map(({ name }) => name)

it('finds tables, people, days, pages and actions', () => {
  expect(find('patio')).toEqual(['Table Patio 2'])
  expect(find('table 1')).toEqual(['Table 1', 'Table 12'])
  expect(find('lind')).toEqual(['Maya Lindqvist'])
  expect(find('zoe')).toEqual(['Zoë'])
  expect(find('host')).toEqual(['Zoë'])
  expect(find('2026-11-27')).toEqual(['Friday, November 27'])
  expect(find('tomorrow')).toEqual(['Tomorrow, Tuesday, November 24'])
  expect(find('audit')).toEqual(['Audit log'])
  expect(find('hours opening')).toEqual(['Set the opening hours'])
  expect(find('wifi')).toEqual(['Change the guest card and the Wi-Fi'])
  for (const word of ['weekly pattern', 'pay', 'logo', 'escalation', 'retention'])
    expect({ word, found: find(word).length > 0 }).toEqual({ word, found: true })
  expect(find('nothing like this')).toEqual([])
})

it('puts first what begins with the query', () => {
  expect(find('add')[0]).toBe('Add a table')
  expect(find('crew')[0]).toBe('Crew')
  expect(find('sign out')[0]).toBe('Sign Out')
  expect(find('friday')[0]).toBe('Friday, November 27')
})

it('leads to the one thing', () => {
  const pathOf = (query: string) => findCommands(all, query)[0]?.path
  expect(pathOf('patio')).toBe('/admin-dashboard/floor?find=Patio+2')
  expect(pathOf('lindqvist')).toBe('/admin-dashboard/crew?find=Maya+Lindqvist')
  expect(pathOf('friday, november 27')).toBe('/admin-dashboard/floor?date=2026-11-27')
})

it('offers every page of an owner', () => {
  const paths = new Set(listCommands('owner').map(({ path }) => path))
  expect(ownerPaths.filter((path) => !paths.has(path))).toEqual([])
})

it('offers managers only what they may open', () => {
  const paths = listCommands('manager').map(({ path }) => path)
  expect(paths.filter((path) => /^\/(admin|dashboard|subscribe)/.test(path))).toEqual([])
  expect(paths).toContain('/management-dashboard/analytics')
})

it('offers owners another email address where the server sends mail', () => {
  const find = (role: 'owner' | 'manager') => findCommands(listCommands(role), 'email address')
  expect(find('owner')).toEqual([])
  document.documentElement.dataset['mail'] = 'on'
  onTestFinished(() => {
    delete document.documentElement.dataset['mail']
  })
  expect(find('owner')).toMatchObject([{ name: 'Change email address', path: '/security#email-address' }])
  expect(find('manager')).toEqual([])
})

it('the command menu has each entry once', () => {
  const ids = all.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
