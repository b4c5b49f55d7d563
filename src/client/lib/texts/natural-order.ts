const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** People's order: 'Table 2' before 'Table 10'. */
export function compareNatural(a: string, b: string): number {
  return compare(a, b)
}
