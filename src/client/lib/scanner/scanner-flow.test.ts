import { describe, expect, it } from 'vitest'
import { canScanFile, scanBox, type ScannerState, type ScannerEvent, scannerReducer } from './scanner-flow.ts'

describe('the scanner', () => {
  it.each<[ScannerState, ScannerEvent, ScannerState]>([
    ['not-started', 'start', 'scanning'],
    ['not-started', 'pause', 'not-started'],
    ['not-started', 'resume', 'not-started'],
    ['not-started', 'stop', 'not-started'],
    ['scanning', 'start', 'scanning'],
    ['scanning', 'pause', 'paused'],
    ['scanning', 'resume', 'scanning'],
    ['scanning', 'stop', 'not-started'],
    ['paused', 'start', 'paused'],
    ['paused', 'pause', 'paused'],
    ['paused', 'resume', 'scanning'],
    ['paused', 'stop', 'not-started'],
  ])('goes from %s by %s to %s', (scanner, event, next) => {
    expect(scannerReducer(scanner, event)).toBe(next)
  })

  it('reads a picture only while it has not started', () => {
    expect((['not-started', 'scanning', 'paused'] as const).map(canScanFile)).toEqual([true, false, false])
  })
})

describe('the scan box', () => {
  const wanted = { width: 250, height: 250 }

  it('has the wanted size where there is room', () => {
    expect(scanBox(wanted, { width: 350, height: 384 })).toEqual(wanted)
  })

  it('is cut to its container', () => {
    expect(scanBox(wanted, { width: 220.5, height: 384 })).toEqual({ width: 220, height: 250 })
    expect(scanBox(wanted, { width: 350, height: 120 })).toEqual({ width: 250, height: 120 })
  })

  it('is at least 50 pixels a side, but never larger than its container', () => {
    expect(scanBox({ width: 10, height: 10 }, { width: 300, height: 300 })).toEqual({ width: 50, height: 50 })
    expect(scanBox({ width: 10, height: 10 }, { width: 40, height: 300 })).toEqual({ width: 40, height: 50 })
  })
})
