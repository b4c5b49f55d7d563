// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { startTapQueue } from './tap-queue.ts'

type Post = { id: string; serviceType: string; k?: string }

it('leaves what the phone keeps until the first frame is painted, or until the first tap', async () => {
  const posts: Post[] = []
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    posts.push(JSON.parse(body))
    return Response.json({ request: { id: 'r' } }, { status: 201 })
  })
  const frames: (() => void)[] = []
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  delete window.guestOutbox
  localStorage.setItem('ask_left', JSON.stringify({ ...buildTap(), id: 'left' }))
  history.replaceState(null, '', '/customer?r=Blue+Door&t=7&k=proof')
  document.body.innerHTML = `<form><input name="action" value="ask"><input name="r" value="Blue Door">
    <input name="t" value="7"><button name="serviceType" value="check">Check/Bill</button></form>`
  const reading = vi.spyOn(Storage.prototype, 'getItem')
  const listing = vi.spyOn(Object, 'keys')

  startTapQueue()
  expect(frames).toHaveLength(1)
  expect(reading).not.toHaveBeenCalled()
  expect(listing).not.toHaveBeenCalledWith(localStorage)
  document.querySelector('button')?.click()
  expect(location.search).toBe('?r=Blue+Door&t=7')
  await expect.poll(() => posts.map(({ id }) => id)).toContain('left')
  expect(posts).toContainEqual(expect.objectContaining({ serviceType: 'check', k: 'proof' }))
  const count = posts.length

  vi.useFakeTimers({ toFake: ['setTimeout'] })
  frames[0]?.()
  vi.runAllTimers()
  vi.useRealTimers()
  expect(posts).toHaveLength(count)
})
