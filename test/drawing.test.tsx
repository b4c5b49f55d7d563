// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'

describe('a page draws after a test', () => {
  it('that waited for a frame while it replaced the timers', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
    requestAnimationFrame(() => {})
  })

  it('like this one', async () => {
    const frame = new Promise<number>((resolve) => void requestAnimationFrame(resolve))
    expect(await frame).toBeGreaterThan(0)
  })
})
