// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { afterPaint } from './after-paint.ts'

it('runs what follows a paint once, also on a page that nobody sees', async () => {
  const task = vi.fn<() => void>()
  vi.spyOn(window, 'requestAnimationFrame').mockReturnValueOnce(1)
  afterPaint(task)
  expect(task).not.toHaveBeenCalled()
  await expect.poll(() => task.mock.calls).toHaveLength(1)
  await new Promise<void>(afterPaint)
  expect(task).toHaveBeenCalledOnce()
})
