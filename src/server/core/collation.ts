/** As people count them: "Table 2" before "Table 10". */
export const { compare: compareNames } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
