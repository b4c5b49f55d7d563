// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { startTapQueue } from './tap-queue.ts'

const tile = `<form><input name="action" value="ask"><input name="r" value="Blue Door">
  <input name="t" value="7"><button name="serviceType" value="check">Check/Bill</button></form>`
const confirmation = (isHeard: boolean): string =>
  `<template id="confirmation"${isHeard ? ' data-listening' : ''}>
    <h1 tabindex="-1">Sent</h1><p class="sent"><b></b></p></template>`

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
  document.body.innerHTML = tile
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

it.each([
  ['confirms a stored tap before the app is there', {}, true],
  ['confirms what nobody hears', { answer: { listening: false }, page: confirmation(false) }, true],
  ['leaves it to the app to say that nobody listens any more', { answer: { listening: false } }, false],
  ['leaves it to the app to say that somebody listens now', { page: confirmation(false) }, false],
  ['leaves it to the app where the answer does not say who listens', { answer: {} }, false],
  ['leaves what is closed already to the app', { answer: { listening: true, closed: 'completed' } }, false],
  [
    'leaves to the app what the crew cannot see all of',
    { answer: { listening: true, noteCut: true } },
    false,
  ],
  ['leaves open what the guest has opened', { opened: '<details open></details>' }, false],
  ['leaves it to the app to confirm once that is there', { page: '' }, false],
])('%s', async (_, given, isConfirmed) => {
  const { answer, opened, page } = {
    answer: { listening: true },
    opened: '',
    page: confirmation(true),
    ...given,
  }
  vi.stubGlobal('fetch', async () => Response.json({ request: { id: 'r' }, ...answer }, { status: 201 }))
  delete window.guestOutbox
  document.body.innerHTML = `<div id="root"><h1>What do you need?</h1>${tile}${opened}</div>${page}`
  const outbox = startTapQueue()
  const stored = Promise.withResolvers<void>()
  outbox.subscribe(({ type }) => type === 'stored' && setTimeout(stored.resolve))
  document.querySelector('button')?.click()
  await stored.promise
  const title = document.querySelector('h1')
  expect(title?.textContent).toBe(isConfirmed ? 'Sent' : 'What do you need?')
  expect(document.activeElement === title).toBe(isConfirmed)
  expect(document.querySelector('.sent b')?.textContent).toBe(isConfirmed ? 'Check/Bill' : undefined)
})
