import type { Page } from 'playwright-core'

/** The controls that could be used if the toast were not there, as far as they are below it. */
export const coveredControls = (page: Page) =>
  page.evaluate(() => {
    const region = document.querySelector<HTMLElement>('.toasts')
    const toast = region?.querySelector('.toast')?.getBoundingClientRect()
    if (!region || !toast || toast.width === 0) return ['there is no toast']
    const controls = document.querySelectorAll('button, a[href], input, select, textarea, summary')
    const covered = [...controls].filter((control) => {
      const box = control.getBoundingClientRect()
      const [left, right] = [Math.max(box.left, toast.left), Math.min(box.right, toast.right)]
      const [top, bottom] = [Math.max(box.top, toast.top), Math.min(box.bottom, toast.bottom)]
      if (region.contains(control) || left >= right - 1 || top >= bottom - 1) return false
      const isUsableAt = (x: number, y: number): boolean =>
        control.contains(document.elementsFromPoint(x, y).find((each) => !region.contains(each)) ?? null)
      return [left + 0.5, (left + right) / 2, right - 0.5].some((x) =>
        [top + 0.5, (top + bottom) / 2, bottom - 0.5].some((y) => isUsableAt(x, y)),
      )
    })
    const outside = [
      ...(toast.left < 0 || toast.right > document.documentElement.clientWidth ? ['it is too wide'] : []),
      ...(toast.top < 0 || toast.bottom > innerHeight ? ['it is too high'] : []),
    ]
    return [...outside, ...covered.map((each) => each.getAttribute('aria-label') ?? each.textContent)]
  })
