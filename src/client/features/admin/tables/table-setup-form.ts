import { TableSetup } from '#contract/floor/floor.ts'
import { parse } from '#contract/parse.ts'
import { nameKey, TableNumber } from '#contract/primitives.ts'
import { parseCount } from '../../../lib/parse-number.ts'
import type { Parsed } from '../../../ui/form/use-form.ts'

export type SetupKind = TableSetup['setupType']
/** As typed. Custom names are typed one by one, and collected outside the form. */
export type SetupForm = Record<'count' | 'start' | 'end' | 'name', string>

type CustomNames = {
  /** To be set up together. */
  listed: readonly string[]
  /** The tables that exist. */
  existing: readonly string[]
}

const firstFields = { count: 'count', range: 'start', custom: 'name' } as const

export function parseSetup(kind: SetupKind, form: SetupForm, names: CustomNames): Parsed<TableSetup> {
  // A name still in the input counts, too.
  const typed = kind === 'custom' && form.name.trim() !== '' ? parseName(form.name, names) : null
  if (typed?.ok === false) return typed
  const wanted = {
    count: { setupType: 'count', tableCount: parseCount(form.count) },
    range: { setupType: 'range', start: parseCount(form.start), end: parseCount(form.end) },
    custom: { setupType: 'custom', customTables: typed ? [...names.listed, typed.value] : names.listed },
  }[kind]
  const parsed = parse(TableSetup, wanted)
  return parsed.ok ? parsed : { ...parsed, field: firstFields[kind] }
}

export function parseName(name: string, { listed, existing }: CustomNames): Parsed<string> {
  if (name.trim() === '') return { ok: false, field: 'name', message: 'Please add at least one table' }
  const parsed = parse(TableNumber, name)
  if (!parsed.ok) return { ...parsed, field: 'name' }
  const isTaken = [...listed, ...existing].some((other) => nameKey(other) === nameKey(parsed.value))
  return isTaken ? { ok: false, field: 'name', message: 'This table already exists' } : parsed
}
