/** In seconds up to a minute, then in minutes as '2.5m'. */
export function formatShortDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${(ms / 60_000).toFixed(1)}m`
}

/** '+12%', '-8%', '0%'. */
export const formatSignedPercent = (percent: number): string => `${percent > 0 ? '+' : ''}${percent}%`
