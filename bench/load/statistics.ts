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

  /** `round` counts from 0; the next one if it is not given. */
  add(system: string, setting: string, result: T, round?: number): void {
    const key = `${system}: ${setting}`
    const rounds = this.#rounds.get(key) ?? []
    rounds[round ?? rounds.length] = result
    this.#rounds.set(key, rounds)
  }

  /** Of the rounds that were measured. */
  values(system: string, setting: string, figure: (result: T) => number): number[] {
    return [...this.#of(system, setting, figure).values()]
  }

  /** Round by round, so that other load on the machine affects both sides. */
  ratios(system: string, to: string, setting: string, figure: (result: T) => number): number[] {
    const others = this.#of(to, setting, figure)
    return [...this.#of(system, setting, figure)].map(
      ([round, value]) => value / (others.get(round) ?? Number.NaN),
    )
  }

  #of(system: string, setting: string, figure: (result: T) => number): Map<number, number> {
    const figures = new Map<number, number>()
    // Leaves out the rounds that failed.
    this.#rounds.get(`${system}: ${setting}`)?.forEach((result, round) => figures.set(round, figure(result)))
    return figures
  }
}
