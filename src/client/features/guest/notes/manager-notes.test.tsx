// @vitest-environment jsdom
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { guestTexts } from '#contract/guests/guest-texts.ts'
import { managerNoteTexts } from '#contract/guests/manager-note-texts.ts'
import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { textKey } from '#contract/texts/text-key.ts'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from '../guest-app.tsx'
import { setLanguage } from '../language.ts'
import { createBrowserOutbox } from '../taps/browser-outbox.ts'
import { noteOutbox } from './note-outbox.ts'

type Call = { url: string; body: Record<string, unknown> | null }
let calls: Call[] = []

/** `answer`: of the server, to what was posted and to what is asked for; a network that is away throws. */
function stubServer(answer: (call: Call) => Response): void {
  calls = []
  vi.stubGlobal('fetch', async (url: string, init?: { body?: string }) => {
    const call = { url, body: init?.body === undefined ? null : JSON.parse(init.body) }
    calls.push(call)
    return answer(call)
  })
}

const posted = (): Call[] => calls.filter(({ url }) => url === '/api/guest-notes')
const noteOf = (more: Partial<GuestNote> = {}): GuestNote => ({
  id: 'n1',
  text: 'The soup is cold',
  state: 'new',
  by: null,
  answer: null,
  ...more,
})
const requests = { requests: [], listening: true, barrier: null }

afterEach(async () => {
  setLanguage({ language: 'en', texts: {} })
  // What still waits would be sent during the tests of other files.
  stubServer(() => Response.json({ code: 'not_found', message: 'Restaurant not found' }, { status: 404 }))
  noteOutbox().retryNow()
  await waitFor(() => {
    if (noteOutbox().waiting().length > 0) throw new Error('A note still waits')
  })
  for (const key of Object.keys(localStorage)) if (key.startsWith('note_')) localStorage.removeItem(key)
})

const open = (page: Parameters<typeof buildGuestPage>[0] = {}) =>
  render(<GuestApp page={buildGuestPage({ notes: [], ...page })} />)

/** What became of a note; a name in it stands in an element of its own. */
const findStatus = (text: string): Promise<HTMLElement> =>
  screen.findByText((_, element) => element?.matches('.notice b') === true && element.textContent === text)

async function writeNote(text: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name: 'Something is not right' }))
  const field = await screen.findByRole('textbox')
  expect(document.activeElement).toBe(field)
  fireEvent.change(field, { target: { value: text } })
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send' })))
}

it('a word to the manager is not on the page of a restaurant that takes none', async () => {
  stubServer(() => Response.json(requests))
  render(<GuestApp page={buildGuestPage()} />)
  await act(async () => void (await import('./manager-notes.tsx')))
  expect(screen.queryByText('Something is not right')).toBeNull()
})

it('a word to the manager stays on the page when a network answers in the place of the server', async () => {
  let isPortal = true
  stubServer(({ url }) => {
    if (!url.startsWith('/api/guest-notes/mine')) return Response.json(requests)
    return Response.json(isPortal ? { status: 'Welcome to our Wi-Fi' } : [noteOf({ state: 'seen' })])
  })
  open({ kept: 0 })
  await screen.findByRole('button', { name: 'Something is not right' })
  await waitFor(() => expect(calls.some(({ url }) => url.startsWith('/api/guest-notes/mine'))).toBe(true))
  isPortal = false
  await act(async () => void window.dispatchEvent(new Event('online')))
  await findStatus('The manager has read it')
})

it('a word to the manager is sent once, kept without a connection and sent again, and read back', async () => {
  let online = false
  stubServer(({ url, body }) => {
    if (!online) throw new TypeError('Failed to fetch')
    if (url.startsWith('/api/guest-notes/mine'))
      return Response.json([noteOf({ id: String(posted()[0]?.body?.['id']), state: 'taken', by: 'Anna' })])
    return url === '/api/guest-notes'
      ? Response.json(noteOf({ id: String(body?.['id']) }), { status: 201 })
      : Response.json(requests)
  })
  open()
  await writeNote(' The soup is cold ')
  expect(await screen.findByText("We can't reach the restaurant right now.")).toBeDefined()
  const [key = ''] = Object.keys(localStorage).filter((name) => name.startsWith('note_'))
  expect(localStorage.getItem(key)).toContain('The soup is cold')
  online = true
  await act(async () => noteOutbox().retryNow())
  expect(await screen.findByText('Sent to the manager')).toBeDefined()
  expect(localStorage.getItem(key)).toBeNull()
  expect(new Set(posted().map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(posted()[0]?.body).toEqual({
    id: expect.any(String),
    restaurantId: 'Blue Door',
    tableNumber: '7',
    text: 'The soup is cold',
  })
  // Coming back to the page asks for the table's news, and with them for those of the note.
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  await findStatus('Anna is taking care of it')
})

it.each<[string, Parameters<typeof open>[0]]>([
  ['muted', { barrier: 'table_muted' }],
  ['closed by the crew', { expired: true, ended: true, barrier: 'visit_expired' }],
])('the answer is read at a table that is %s, and nothing can be written', async (_what, page) => {
  stubServer(() => Response.json({ ...requests, barrier: page?.barrier }))
  open({ ...page, notes: [noteOf({ state: 'closed', answer: 'A new soup is coming' })] })
  expect(await screen.findByText('A new soup is coming')).toBeDefined()
  expect(screen.queryByText('Something is not right')).toBeNull()
})

it.each([
  ['table_muted', 'Please wave to your waiter.', 'Please wave to your waiter.'],
  ['conflict', 'No', 'Messages to the manager are switched off here. Please ask your waiter.'],
  ['rate_limited', 'You have written to the manager already.', 'You have written to the manager already.'],
])(
  'a word to the manager that is refused (%s) says why, and keeps what was written',
  async (code, message, said) => {
    stubServer(({ url }) =>
      url === '/api/guest-notes'
        ? Response.json({ code, message }, { status: 409 })
        : Response.json(requests),
    )
    open()
    await writeNote('The soup is cold')
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(said))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('The soup is cold')
  },
)

it('keeps the focus with what the guest does', async () => {
  stubServer(({ url }) =>
    url === '/api/guest-notes' ? Response.json(noteOf(), { status: 201 }) : Response.json(requests),
  )
  open()
  const opener = (): Promise<HTMLElement> => screen.findByRole('button', { name: 'Something is not right' })
  fireEvent.click(await opener())
  fireEvent.click(await screen.findByRole('button', { name: 'Send' }))
  const field = screen.getByRole('textbox')
  expect(document.activeElement).toBe(field)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  const problem = document.getElementById(field.getAttribute('aria-describedby') ?? '')
  expect(problem?.textContent).toBe('Please tell us what is wrong')
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(document.activeElement).toBe(await opener())
  expect(screen.queryByRole('alert')).toBeNull()
  await writeNote('The soup is cold')
  expect(document.activeElement).toBe(await opener())
  expect((await screen.findByText('Sent to the manager')).closest('[role=status]')).not.toBeNull()
})

/** On the server a tap is stored at once. */
const stored = (): Response =>
  Response.json({ request: buildRequest({ id: 'r1', tableNumber: '7' }) }, { status: 201 })

const tapDrinks = async (outbox: ReturnType<typeof createBrowserOutbox>): Promise<void> =>
  act(async () => {
    const seen = new Promise<void>((resolve) => {
      const stop = outbox.subscribe(({ type }) => type === 'stored' && (stop(), resolve()))
    })
    outbox.add({ ...buildTap(), id: `tap-${Math.random()}` })
    await seen
  })

const backToMenu = async (): Promise<void> => {
  await screen.findByText('Request Sent!')
  fireEvent.click(screen.getByRole('button', { name: 'Send Another Request' }))
}

it('a word to the manager stays on the page after a tap, and what becomes of it is read again', async () => {
  stubServer(({ url, body }) => {
    if (url === '/api/service-requests') return stored()
    if (url.startsWith('/api/guest-notes/mine'))
      return Response.json([noteOf({ id: String(posted()[0]?.body?.['id']), state: 'taken', by: 'Anna' })])
    return url === '/api/guest-notes'
      ? Response.json(noteOf({ id: String(body?.['id']) }), { status: 201 })
      : Response.json(requests)
  })
  const outbox = createBrowserOutbox()
  render(<GuestApp page={buildGuestPage({ notes: [] })} outbox={outbox} />)
  await writeNote('The soup is cold')
  expect(await screen.findByText('Sent to the manager')).toBeDefined()
  await tapDrinks(outbox)
  await backToMenu()
  expect(await screen.findByText('The soup is cold')).toBeDefined()
  await findStatus('Anna is taking care of it')
})

it('a word to the manager that is refused behind a confirmation comes back into the form', async () => {
  let refuse = (): void => undefined
  stubServer(({ url }) => (url === '/api/service-requests' ? stored() : Response.json(requests)))
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url !== '/api/guest-notes') return fetch(url, init)
    await new Promise<void>((resolve) => (refuse = resolve))
    return Response.json({ code: 'rate_limited', message: 'Not now' }, { status: 429 })
  })
  const outbox = createBrowserOutbox()
  render(<GuestApp page={buildGuestPage({ notes: [] })} outbox={outbox} />)
  await writeNote('The soup is cold')
  await tapDrinks(outbox)
  expect(await screen.findByText('Request Sent!')).toBeDefined()
  const isRefused = new Promise<void>((resolve) => {
    const stop = noteOutbox().subscribe(({ type }) => type === 'refused' && (stop(), resolve()))
  })
  refuse()
  await isRefused
  await backToMenu()
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox')).value).toBe('The soup is cold')
  expect(screen.getByRole('alert').textContent).toBe('Not now')
})

it('a word to the manager stays while it is written when an earlier tap is stored', async () => {
  stubServer(({ url }) => (url === '/api/service-requests' ? stored() : Response.json(requests)))
  const outbox = createBrowserOutbox()
  render(<GuestApp page={buildGuestPage({ notes: [] })} outbox={outbox} />)
  fireEvent.click(await screen.findByRole('button', { name: 'Something is not right' }))
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox')
  fireEvent.change(field, { target: { value: 'The soup' } })
  await tapDrinks(outbox)
  expect(screen.getByRole('alert').textContent).toContain('Request Sent!')
  expect(screen.getByRole('textbox')).toBe(field)
  expect(document.activeElement).toBe(field)
  fireEvent.change(field, { target: { value: '' } })
  await tapDrinks(outbox)
  await backToMenu()
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox')).value).toBe('')
})

it('a word to the manager that is refused while another is written stays beside it', async () => {
  let answer: (() => void) | undefined
  stubServer(() => Response.json(requests))
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url !== '/api/guest-notes') return fetch(url, init)
    await new Promise<void>((resolve) => (answer = resolve))
    return Response.json({ code: 'rate_limited', message: 'Not now' }, { status: 429 })
  })
  const refuse = async (): Promise<void> => {
    await waitFor(() => expect(answer).toBeDefined())
    await act(async () => answer?.())
    answer = undefined
  }
  open()
  await writeNote('The soup is cold')
  fireEvent.click(screen.getByRole('button', { name: 'Something is not right' }))
  await refuse()
  expect(await screen.findByText('Not now')).toBeDefined()
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('The soup is cold')
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send' })))
  fireEvent.click(screen.getByRole('button', { name: 'Something is not right' }))
  fireEvent.change(await screen.findByRole('textbox'), { target: { value: 'It is loud' } })
  await refuse()
  expect(await screen.findByText('Not now')).toBeDefined()
  expect(screen.getByText('The soup is cold')).toBeDefined()
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('It is loud')
})

it('shows only what waits for this restaurant', async () => {
  stubServer(() => {
    throw new TypeError('Failed to fetch')
  })
  open()
  const note = { ...buildTap(), text: 'The soup is cold' }
  await act(async () => {
    noteOutbox().add({ ...note, id: 'n8', restaurantId: 'Elsewhere', text: 'Not here' })
    noteOutbox().add({ ...note, id: 'n9' })
  })
  expect(await screen.findByText('The soup is cold')).toBeDefined()
  expect(screen.queryByText('Not here')).toBeNull()
})

it('a word to the manager that says nothing is not sent', async () => {
  stubServer(() => Response.json(requests))
  open()
  await writeNote('  ')
  expect(screen.getByRole('alert').textContent).toBe('Please tell us what is wrong')
  expect(posted()).toEqual([])
})

it('a word to the manager is asked for in the language of the page', async () => {
  stubServer(() => Response.json(requests))
  const texts = Object.fromEntries(
    [...guestTexts, ...managerNoteTexts].map((text) => [textKey(text), `⟦${text}⟧`]),
  )
  const page = { language: 'eo', texts }
  setLanguage(page)
  const notes = [noteOf({ state: 'taken', by: '1' }), noteOf({ id: 'n2', state: 'closed', answer: '…' })]
  open({ ...page, notes: notes.map((note) => ({ ...note, text: '…' })) })
  fireEvent.click(await screen.findByText('⟦Something is not right⟧'))
  await findStatus('⟦1 is taking care of it⟧')
  expect(screen.getByText('⟦The manager’s answer⟧')).toBeDefined()
  const said = [...document.querySelectorAll('.notes :is(b, button, small)')].map(
    ({ textContent }) => textContent,
  )
  expect(said.filter((text) => !/^⟦.*⟧$/u.test(text ?? ''))).toEqual([])
})

it('keeps the name of who looks after it in its own direction', async () => {
  stubServer(() => Response.json(requests))
  open({ notes: [noteOf({ state: 'taken', by: 'דוד!' })] })
  const status = await findStatus('דוד! is taking care of it')
  expect(status.querySelector('bdi')?.textContent).toBe('דוד!')
})

it('does not lose a word to the manager to an older list that comes after it', async () => {
  const lists: PromiseWithResolvers<Response>[] = []
  stubServer(({ body }) => Response.json(noteOf({ id: String(body?.['id']) }), { status: 201 }))
  const post = fetch
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    if (url === '/api/guest-notes') return post(url, init)
    if (!url.startsWith('/api/guest-notes/mine')) return Promise.resolve(Response.json(requests))
    const list = Promise.withResolvers<Response>()
    lists.push(list)
    return list.promise
  })
  open({ notes: [noteOf({ state: 'seen' })] })
  await findStatus('The manager has read it')
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  await waitFor(() => expect(lists).toHaveLength(1))
  await writeNote('And it is late')
  await findStatus('Sent to the manager')
  const answer = (index: number, more: GuestNote[]): Promise<void> =>
    act(async () => lists[index]?.resolve(Response.json([noteOf({ state: 'seen' }), ...more])))
  await answer(0, [])
  await waitFor(() => expect(lists).toHaveLength(2))
  expect(screen.getByText('And it is late')).toBeDefined()
  await answer(1, [noteOf({ id: 'n2', text: 'And it is late', state: 'taken', by: 'Anna' })])
  await findStatus('Anna is taking care of it')
})
