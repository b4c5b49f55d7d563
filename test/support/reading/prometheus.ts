export type Sample = { name: string; labels: Record<string, string>; value: number }

/** The samples of what Prometheus reads at /metrics. */
export const samplesIn = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gmu)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/gu)].map(([, label = '', of = '']) => [label, of]),
    ),
    value: Number(value),
  }))

/** Which metrics there are, and of which type. */
export const typesIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gmu)].map(([, name = '', type = '']) => [name, type]))
