/** The value below which this share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

/** Three significant digits, with thousands separators. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(digits).replace(/\B(?=(\d{3})+$)/gu, ',')
}

/** Median (minimum–maximum). */
export function formatSpread(values: readonly number[], unit = ''): string {
  const samples = values.filter(Number.isFinite)
  if (samples.length === 0) return '–'
  const text = formatFigure(median(samples))
  const range =
    samples.length > 1 ? ` (${formatFigure(Math.min(...samples))}–${formatFigure(Math.max(...samples))})` : ''
  return `${text}${unit}${range}`
}

export function markdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  )
}

/** The results of all rounds for each system and setting. */
export class Series<T> {
  #rounds = new Map<string, T[]>()

  add(system: string, setting: string, result: T): void {
    const key = `${system}: ${setting}`
    this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), result])
  }

  values(system: string, setting: string, figure: (result: T) => number): number[] {
    return (this.#rounds.get(`${system}: ${setting}`) ?? []).map(figure)
  }

  /** Round by round, so that other load on the machine affects both sides. */
  ratios(system: string, to: string, setting: string, figure: (result: T) => number): number[] {
    const others = this.values(to, setting, figure)
    return this.values(system, setting, figure).map((value, index) => value / (others[index] ?? Number.NaN))
  }
}
