/** A page that nobody sees paints nothing. */
const patienceMs = 500

/** Lets the effect of a tap paint first, and runs the rest with the next frame. */
export function afterPaint(task: () => void): void {
  const frame = requestAnimationFrame(() => {
    clearTimeout(patience)
    setTimeout(task)
  })
  const patience = setTimeout(() => {
    cancelAnimationFrame(frame)
    task()
  }, patienceMs)
}
