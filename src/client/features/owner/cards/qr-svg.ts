/** The side in modules and the dark modules of a code that the server drew; null for anything else. */
export function readQrSvg(svg: string): { size: number; dark: string } | null {
  const [, size, dark] = /viewBox="0 0 (\d+) \d+".*<path d="([Mhvz\d -]+)"/u.exec(svg) ?? []
  return size === undefined || dark === undefined ? null : { size: Number(size), dark }
}
