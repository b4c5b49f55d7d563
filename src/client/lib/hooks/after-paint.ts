/** Lets the effect of a tap paint first, and runs the rest with the next frame. */
export const afterPaint = (task: () => void): void =>
  void requestAnimationFrame(() => {
    setTimeout(task)
  })
