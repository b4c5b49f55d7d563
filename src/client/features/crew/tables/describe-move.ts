import { nameKey } from '#contract/primitives.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { type Asked, askedKey, askedText } from '../../../lib/texts/asked-text.ts'
import { plural, t } from '../../../lib/texts/translate.ts'

type Move = {
  from: string
  to: string
  open: readonly (Pick<ServiceRequest, 'tableNumber'> & Asked)[]
  /** The number of phones that have asked for something at the table; undefined while it is not known. */
  phones: number | undefined
}

/** What will happen, as far as it is known before it does. Nothing will where both are the same table. */
export function describeMove({ from, to, open, phones }: Move): string {
  if (nameKey(from) === nameKey(to)) return ''
  const at = (table: string) => {
    const key = nameKey(table)
    return open.filter(({ tableNumber }) => nameKey(tableNumber) === key)
  }
  const going = at(from)
  const there = new Set(at(to).map(askedKey))
  const shared = going.filter((request) => there.has(askedKey(request)))
  const services = shared.map(askedText).join(', ')
  return [
    describeParty(going.length, phones, { from, to }),
    shared.length > 0 &&
      t('Table {table} already waits for {services}: they become one.', { table: to, services }),
  ]
    .filter(Boolean)
    .join(' ')
}

function describeParty(
  requests: number,
  phones: Move['phones'],
  { from, to }: Pick<Move, 'from' | 'to'>,
): string | false {
  const table = { table: to }
  if (requests > 0 && phones) {
    return t('{requests} and {phones} go to table {table}.', {
      requests: plural(requests, 'One open request', '{count} open requests'),
      phones: plural(phones, 'one phone', '{count} phones'),
      ...table,
    })
  }
  if (requests > 0) {
    return plural(
      requests,
      'One open request goes to table {table}.',
      '{count} open requests go to table {table}.',
      table,
    )
  }
  if (phones)
    return plural(phones, 'One phone goes to table {table}.', '{count} phones go to table {table}.', table)
  return phones === 0 && t('Table {table} has not asked for anything.', { table: from })
}
