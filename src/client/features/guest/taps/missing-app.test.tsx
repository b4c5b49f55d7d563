// @vitest-environment jsdom
import { expect, it, onTestFinished, vi } from 'vitest'
import { startTapQueue } from './tap-queue.ts'

it('lets the server’s own page say why a double tap is refused', async () => {
  vi.stubGlobal('fetch', async (_url: string, { method }: { method?: string } = {}) =>
    method === 'POST'
      ? Response.json({ code: 'closed', message: 'We are closed' }, { status: 409 })
      : new Response('The page'),
  )
  // Missing in jsdom.
  vi.stubGlobal('PerformanceNavigationTiming', Object)
  document.body.innerHTML = `<form>
    <input name="action" value="ask"><input name="r" value="Blue Door"><input name="t" value="7">
    <button name="serviceType" value="check">Check/Bill</button>
    </form><script type="module"></script>`
  delete window.guestOutbox
  const outbox = startTapQueue()
  const refused = Promise.withResolvers<void>()
  outbox.subscribe(({ type }) => type === 'refused' && refused.resolve())
  /** What the browser posts by itself. */
  const posted: string[] = []
  const post = (submit: SubmitEvent): void => {
    if (!submit.defaultPrevented && submit.submitter instanceof HTMLButtonElement)
      posted.push(submit.submitter.value)
    submit.preventDefault()
  }
  document.addEventListener('submit', post)
  onTestFinished(() => document.removeEventListener('submit', post))
  const button = document.querySelector('button')
  for (const detail of [1, 2])
    button?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }))
  await refused.promise
  expect(posted).toEqual([])
  document.querySelector('script')?.dispatchEvent(new Event('error'))
  await expect.poll(() => posted).toContain('check')
})
