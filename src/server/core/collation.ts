/** Numbers compare by value: "Table 2" comes before "Table 10". */
export const { compare: compareNames } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
