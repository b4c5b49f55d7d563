/** '45s', '2m 30s', '1h 5m': the two largest units, without zeros. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts: [number, string, number, string] =
    seconds < 3600
      ? [Math.floor(seconds / 60), 'm', seconds % 60, 's']
      : [Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'm']
  const [large, largeUnit, small, smallUnit] = parts
  if (large === 0) return `${small}${smallUnit}`
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`
}

export const formatDurationOr = (ms: number | null | undefined, fallback = '–'): string =>
  ms === null || ms === undefined ? fallback : formatDuration(ms)

/** Whole percent; 0% and 100% mean exactly none and all. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–'
  const percent = Math.round((part / total) * 100)
  if (percent === 0 && part > 0) return '<1%'
  if (percent === 100 && part < total) return '>99%'
  return `${percent}%`
}

export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Lower case and without accents: 'Rene' finds 'René'. */
export const normalizeForSearch = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
