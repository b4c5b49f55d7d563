// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useCodeScanner } from './use-code-scanner.ts'

/** `camera`: what the browser answers when the page wants its camera. */
function openScanner(camera: () => Promise<MediaStream>) {
  const getUserMedia = vi.fn(camera)
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia, enumerateDevices: async () => [] } })
  const onFail = vi.fn()
  const { result } = renderHook(() => useCodeScanner({ onFound: () => undefined, onFail }))
  result.current.video.current = document.createElement('video')
  return { result, getUserMedia, onFail }
}

/** What the scanner waits for has come, and it has made of it what it does. */
const whenLoaded = (): Promise<void> =>
  act(async () => {
    await import('./code-scanner.ts')
    await new Promise((resolve) => setImmediate(resolve))
  })

it('leaves the camera off for who cancels before the scanner has loaded', async () => {
  const { result, getUserMedia, onFail } = openScanner(async () => new Promise(() => undefined))
  act(() => result.current.start())
  expect(result.current.scanner).toBe('scanning')
  act(() => result.current.stop())
  expect(result.current.scanner).toBe('not-started')
  await whenLoaded()
  expect(getUserMedia).not.toHaveBeenCalled()

  act(() => result.current.start())
  await whenLoaded()
  expect(getUserMedia).toHaveBeenCalledOnce()
  expect(onFail).not.toHaveBeenCalled()
})

it('does not report a camera that is refused after the guest has cancelled', async () => {
  let refuse = (): void => undefined
  const { result, getUserMedia, onFail } = openScanner(
    () => new Promise((_, reject) => (refuse = () => reject(new Error('Not allowed')))),
  )
  act(() => result.current.start())
  await whenLoaded()
  expect(getUserMedia).toHaveBeenCalledOnce()
  act(() => result.current.stop())
  refuse()
  await whenLoaded()
  expect(onFail).not.toHaveBeenCalled()

  act(() => result.current.start())
  await whenLoaded()
  refuse()
  await whenLoaded()
  expect(onFail).toHaveBeenCalledOnce()
})
