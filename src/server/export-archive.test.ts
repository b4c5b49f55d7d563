import { expect, it } from 'vitest'
import { archiveName } from './export-archive.ts'

const nameFor = (name: string): string =>
  archiveName({ restaurant: { name } }, Date.parse('2026-11-23T02:00:00Z'))

it.for<readonly [string, string]>([
  ['Café "Zum Bären"', 'Café-Zum-Bären-export-20261123T020000Z.zip'],
  // A name that begins with a dash would be an option of the program that unpacks it.
  ['🍕 Pizza & Più', 'Pizza-Più-export-20261123T020000Z.zip'],
  ['☕\uFE0F Bar', 'Bar-export-20261123T020000Z.zip'],
  ['--help', 'help-export-20261123T020000Z.zip'],
  ['🍕🍕', 'restaurant-export-20261123T020000Z.zip'],
  ['店'.repeat(80), `${'店'.repeat(40)}-export-20261123T020000Z.zip`],
  [`${'a'.repeat(119)} & more`, `${'a'.repeat(119)}-export-20261123T020000Z.zip`],
  [`a${'店'.repeat(79)}`, `a${'店'.repeat(39)}-export-20261123T020000Z.zip`],
])('the archive of %s has a name that every disk and program takes', ([name, expected]) => {
  expect(nameFor(name)).toBe(expected)
})
