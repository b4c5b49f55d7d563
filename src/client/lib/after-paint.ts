/** What was tapped shows first; what is said about it comes with the next frame. */
export const afterPaint = (work: () => void): void =>
  void requestAnimationFrame(() => {
    setTimeout(work)
  })
