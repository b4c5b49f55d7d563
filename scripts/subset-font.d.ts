declare module 'subset-font' {
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: 'truetype' | 'woff2'
      variationAxes?: Record<string, number | { min: number; max: number; default?: number }>
      keepFeatures?: string[]
      dropTables?: string[]
      noHinting?: boolean
    },
  ): Promise<Buffer>
}
