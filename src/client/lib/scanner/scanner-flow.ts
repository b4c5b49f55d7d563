export type ScannerState = 'not-started' | 'scanning' | 'paused'
export type ScannerEvent = 'start' | 'pause' | 'resume' | 'stop'

const transitions: Record<ScannerState, Partial<Record<ScannerEvent, ScannerState>>> = {
  'not-started': { start: 'scanning' },
  scanning: { pause: 'paused', stop: 'not-started' },
  paused: { resume: 'scanning', stop: 'not-started' },
}

/** Events that do not apply to a state are ignored: a camera that has not started cannot be paused. */
export const scannerReducer = (scanner: ScannerState, event: ScannerEvent): ScannerState =>
  transitions[scanner][event] ?? scanner

export const canScanFile = (scanner: ScannerState): boolean => scanner === 'not-started'

/** At least 50 px a side, and never larger than the container. */
export function scanBox(
  wanted: { width: number; height: number },
  container: { width: number; height: number },
) {
  const side = (length: number, room: number): number => Math.min(Math.max(length, 50), Math.floor(room))
  return { width: side(wanted.width, container.width), height: side(wanted.height, container.height) }
}
