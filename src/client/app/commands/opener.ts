/** Finds what had the focus, or what took its place: an empty cell of a grid is drawn anew without it. */
export type Opener = (() => Element | null) | null

export function rememberOpener(opener: Element | null): Opener {
  const cell = opener?.closest('[role="gridcell"]')
  return () => (opener?.isConnected === false ? (cell?.querySelector('input, button') ?? null) : opener)
}
