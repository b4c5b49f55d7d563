// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'

describe('a page', () => {
  it('waits for a frame while a test replaces the timers', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
    requestAnimationFrame(() => {})
  })

  it('draws in the test after that', async () => {
    const frame = new Promise<number>((resolve) => void requestAnimationFrame(resolve))
    expect(await frame).toBeGreaterThan(0)
  })
})
