/** The names in the first columns of the tables under a heading of `docs/scale.md`. */
export function namedIn(page: string, heading: string): string[][] {
  const [, section = ''] = page.split(new RegExp(`^### ${heading}$`, 'mu'))
  const [own = ''] = section.split(/^##/mu)
  const names = own
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    // The last column is the reason.
    .map((line) => line.split(' | ').slice(0, -1))
    .map((columns) => columns.map((column) => /`(\w+)`/u.exec(column)?.[1] ?? ''))
  if (names.length === 0) throw new Error(`docs/scale.md names nothing under ${heading}`)
  return names
}
