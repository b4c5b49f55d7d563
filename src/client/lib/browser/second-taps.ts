import { useEffect } from 'react'
import { isDoubleTap } from '../double-tap.ts'

/** Between two taps of one finger, in time and in CSS pixels. */
const doubleTap = { ms: 350, px: 24 }

const pressTypes = [
  'pointerdown',
  'pointerup',
  'touchstart',
  'touchend',
  'mousedown',
  'mouseup',
  'click',
] as const

type Tap = { control: Element; label: string; x: number; y: number; at: number }

/**
 * The second tap of a double tap, or Enter that is held down, would hit what has just appeared where the first one was
 * meant for something else: it does nothing. Where that is still in its place, two taps are two taps.
 */
export function IgnoreSecondTaps(): null {
  useEffect(() => {
    const listening = new AbortController()
    // Before all others: a tap beside a dialog closes it.
    const options = { capture: true, signal: listening.signal }
    let last: Tap | null = null
    let isIgnored = false

    const press = (event: MouseEvent | TouchEvent): void => {
      const { type, detail } = event
      if (type === 'pointerdown') isIgnored = event instanceof PointerEvent && isSecondTap(last, event)
      // Of a mouse, the system says what a double click is.
      if (type === 'mousedown' && isDoubleTap(detail))
        isIgnored ||= last !== null && isReplaced(last, event.target)
      // A key, or what reads the screen aloud, clicks without pressing.
      const isPress = type !== 'click' || detail > 0
      if (isIgnored && isPress) {
        if (last) last.at = event.timeStamp
        event.stopImmediatePropagation()
        if (!type.startsWith('touch')) event.preventDefault()
      } else if (type === 'click' && isPress && event instanceof MouseEvent) last = tapOf(event)
      if (type === 'click') isIgnored = false
    }
    for (const type of pressTypes) addEventListener(type, press, options)
    addEventListener(
      'keydown',
      (event) => {
        const { key, repeat, target } = event
        if (key !== 'Enter' || !repeat || !(target instanceof Element) || !target.matches('button, a')) return
        event.stopImmediatePropagation()
        event.preventDefault()
      },
      options,
    )
    return () => listening.abort()
  }, [])
  return null
}

function tapOf({ target, clientX: x, clientY: y, timeStamp: at }: MouseEvent): Tap | null {
  const control = target instanceof Element ? target.closest('button, a, input, label') : null
  return control && { control, label: labelOf(control), x, y, at }
}

function isSecondTap(last: Tap | null, event: PointerEvent): boolean {
  const { pointerType, timeStamp, clientX, clientY, target } = event
  return (
    last !== null &&
    pointerType !== 'mouse' &&
    timeStamp - last.at < doubleTap.ms &&
    Math.hypot(clientX - last.x, clientY - last.y) < doubleTap.px &&
    isReplaced(last, target)
  )
}

/** Whether the next one meets something else in the same place. */
const isReplaced = ({ control, label }: Tap, target: EventTarget | null): boolean =>
  labelOf(control) !== label || !(target instanceof Node && control.contains(target))

const labelOf = (control: Element): string => control.getAttribute('aria-label') ?? control.textContent
