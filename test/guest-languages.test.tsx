// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { minuteMs } from '#contract/durations.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { cardTexts, guestTexts, renderedTexts } from '#contract/guests/guest-texts.ts'
import { managerNoteTexts } from '#contract/guests/manager-note-texts.ts'
import type { GuestPage, PageLanguage } from '#contract/guests/visits.ts'
import { parse } from '#contract/parse.ts'
import { Catalogue, placeholdersOf } from '#contract/texts/catalogue.ts'
import { isRightToLeft } from '#contract/texts/languages.ts'
import { packTexts, textKey, unpackTexts } from '#contract/texts/text-key.ts'
import {
  render as renderPage,
  renderCard,
  renderNotes,
  renderUnavailable,
} from '../src/client/app/guest-server.tsx'
import { GuestApp } from '../src/client/features/guest/guest-app.tsx'
import { setLanguage } from '../src/client/features/guest/language.ts'
import { RequestList } from '../src/client/features/guest/requests/request-list.tsx'
import { type Answer, Outbox } from '../src/client/features/guest/taps/outbox.ts'
import { setCatalogue } from '../src/client/lib/texts/translate.ts'
import { readGuestCatalogues } from '../src/server/adapters/catalogues.ts'
import { limitReached } from '../src/server/core/limits/limit-rules.ts'
import { buildGuestPage, buildTap } from './support/pages/guest-page.ts'
import { buildRequest } from './support/restaurants/service-request.ts'

const folder = 'catalogues/guest'
const files = readdirSync(folder).toSorted()
const catalogues = readGuestCatalogues([folder])
const languages = Object.fromEntries([...catalogues].map(([tag, { name }]) => [tag, name]))

const speakingOf = (language: string): PageLanguage => ({
  language,
  languages,
  texts: { ...catalogues.get(language)?.texts },
})
/** Every text in marks, so that whatever has none was not looked up. */
const marked: PageLanguage = {
  language: 'eo',
  languages,
  texts: Object.fromEntries(
    guestTexts.map((text) => [
      textKey(text),
      text.startsWith('Your taps') ? { other: `⟦${text}⟧` } : `⟦${text}⟧`,
    ]),
  ),
}

/** What restaurants and guests have named themselves has no letters, so that letters are ours. */
const named = { restaurantName: '100', tableNumber: '7' }
const atTable = (fields: Partial<GuestPage> = {}): GuestPage =>
  buildGuestPage({ ...named, given: { restaurantId: '100', tableNumber: '7', k: null }, ...fields })
const request = buildRequest({ id: 'r1', tableNumber: '7', timestamp: Date.now() - 600_000 })
const somewhere = { restaurantId: null, tableNumber: null, k: null }
const accepted = { state: 'accepted' as const, acceptedBy: { id: null, name: 'Crew' } }

const pages: Record<string, GuestPage> = {
  scan: buildGuestPage({ restaurantName: null, tableNumber: null, given: somewhere }),
  entry: buildGuestPage({ restaurantName: null, tableNumber: null, given: somewhere, manual: true }),
  'an unknown restaurant': atTable({
    restaurantName: null,
    tableNumber: null,
    problem: { code: 'not_found', message: 'Restaurant not found' },
  }),
  'an unknown table': atTable({
    tableNumber: null,
    problem: { code: 'not_found', message: "We couldn't find table 7.", params: { table: '7' } },
  }),
  'a name that is too long': atTable({
    tableNumber: null,
    problem: { code: 'invalid', message: 'Please use at most 40 characters' },
  }),
  'a table that was not theirs': atTable({
    tableNumber: null,
    given: { restaurantId: '100', tableNumber: null, k: null, from: '7' },
  }),
  menu: atTable(),
  'a kept page': atTable({ kept: 0 }),
  'nobody listening': atTable({ listening: false }),
  'a sent request': atTable({ requests: [request], mine: ['r1'] }),
  'a request that was seen': atTable({ requests: [{ ...request, seen: 1, asks: 2 }] }),
  'a request that was accepted': atTable({ requests: [{ ...request, ...accepted }] }),
  'several requests': atTable({
    requests: (['general', 'food', 'check', 'assistance', 'other'] as const).map((serviceType) => ({
      ...request,
      id: serviceType,
      serviceType,
    })),
    mine: ['food'],
  }),
  'an expected time': atTable({
    requests: [
      { ...request, expected: { fromMs: 0, untilMs: 900_000 } },
      { ...request, id: 'r2', expected: { fromMs: 600_000, untilMs: 900_000 } },
      { ...request, id: 'r3', expected: { fromMs: 0, untilMs: 300_000 } },
    ],
  }),
  'a moved party': atTable({ tableNumber: '8', moved: true }),
  confirmation: atTable({ requests: [request], sent: request }),
  'a confirmation that nobody hears': atTable({ requests: [request], sent: request, listening: false }),
  'a code that is required': atTable({ barrier: 'code_required' }),
  'a muted table': atTable({ barrier: 'table_muted' }),
  'a table that nobody has opened': atTable({ barrier: 'table_closed' }),
  'a closed restaurant': atTable({ closedUntil: Date.now() + 3_600_000 * 30, timeZone: 'UTC' }),
  'what is paused': atTable({
    pauses: (['kitchen', 'bar', 'crew'] as const).map((reason, index) => ({
      serviceType: (['food', 'drinks', 'check'] as const)[index] ?? 'food',
      until: Date.now() + 600_000,
      reason,
      text: null,
    })),
    timeZone: 'UTC',
  }),
  'needs of the restaurant’s own': atTable({
    needs: [
      { id: 'general', choices: [{ id: 'a', name: { eo: '1+1' } }] },
      { id: 'other', note: true },
    ],
    requests: [
      {
        ...request,
        serviceType: 'other',
        need: { id: 'allergy', name: { eo: '1' }, icon: 'allergy' },
        choice: { id: 'nuts', name: { eo: '2' } },
        note: '3',
      },
    ],
  }),
  'a visit that the crew ended': atTable({ expired: true, ended: true }),
  'an expired visit': atTable({ expired: true }),
  'too many requests': atTable({
    refused: { code: 'rate_limited', message: 'Please wait 9 minutes', params: { seconds: 540 } },
  }),
  'a note that was cut': atTable({ noteCut: true }),
  'a request of somebody else': atTable({ refused: { code: 'forbidden', message: 'Only the device' } }),
  'a reminder that comes too early': atTable({
    refused: { code: 'conflict', message: 'The crew has', params: { seconds: 40 } },
  }),
  'what nobody expects': atTable({ refused: { code: 'too_large', message: 'Too large' } }),
  'a request that is done': atTable({ refused: { code: 'not_found', message: 'Request not found' } }),
  'a server with a problem': atTable({ refused: { code: 'unavailable', message: 'The server' } }),
}

/** What people see, hear, or read in a field. */
function textsIn(root: Element): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Element)) texts.push(node.textContent ?? '')
    else
      for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'data-sending', 'data-sent'])
        texts.push(node.getAttribute(name) ?? '')
  }
  return texts.map((text) => text.trim()).filter((text) => /[\p{L}⟦⟧]/u.test(text))
}

const parsed = (html: string): Element => {
  const root = document.createElement('div')
  root.innerHTML = html
  return root
}

const languageNames = new Set(Object.values(languages))
/** The age of a request, which `Intl` knows in Esperanto: the request grows older while the tests run. */
const inEsperanto = new Intl.RelativeTimeFormat('eo-u-nu-latn', { style: 'short' })
const ages = new Set(Array.from({ length: 50 }, (_, minutes) => inEsperanto.format(-10 - minutes, 'minute')))
/** Is typed as it is: the name of the only restaurant. */
const isTyped = (text: string): boolean => text === 'default'

/** What is left without marks. */
function unmarked(texts: string[]): string[] {
  // A text in several nodes, such as one with a name in the middle, has its marks in the first and the last.
  const open = texts
    .filter((text) => !languageNames.has(text) && !isTyped(text) && !ages.has(text))
    .join('\n')
  const withoutNested = open.replaceAll(/⟦[^⟦⟧]*⟧/gu, '')
  return withoutNested
    .replaceAll(/⟦[^⟦⟧]*⟧/gu, '')
    .split('\n')
    .filter((text) => /\p{L}/u.test(text))
}

beforeEach(() => localStorage.clear())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  setLanguage({ language: 'en', texts: {} })
  setCatalogue('en', new Map())
})

describe('a page in another language', () => {
  it.each(Object.keys(pages))('looks up every text: %s', (name) => {
    const { title, html } = renderPage({ ...pages[name]!, ...marked })
    expect(unmarked([title, ...textsIn(parsed(html))])).toEqual([])
  })

  it('looks up every text of the guest card', () => {
    const card = {
      restaurantName: '100',
      tableNumber: '7',
      menu: 'https://1.1',
      pay: 'https://1.1',
      today: 0,
    }
    const days = Array.from({ length: 7 }, (_, day) =>
      day === 1 ? [{ from: '09:00', to: '17:00' }] : day === 2 ? [{ from: '00:00', to: '00:00' }] : [],
    )
    const wifi = { name: '1', password: '2', qrCode: '' }
    const cardPage = [...guestTexts, ...cardTexts, ...renderedTexts]
    const texts = cardPage.map((text) => [textKey(text), `⟦${text}⟧`])
    const weekdays = days.map((_, day) =>
      new Intl.DateTimeFormat('eo', { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day + 1)),
    )
    for (const shown of [wifi, { ...wifi, password: '' }, 'locked'] as const) {
      const page = { ...card, hours: days, wifi: shown }
      const { html } = renderCard(page, { r: '100', t: '7' }, { ...marked, texts: Object.fromEntries(texts) })
      const left = unmarked(textsIn(parsed(html))).filter((text) => !weekdays.includes(text))
      expect(left.filter((text) => !/^\d+:\d+(–\d+:\d+)?$/u.test(text))).toEqual([])
    }
    const links = renderPage({
      ...atTable({ card: { menu: 'https://1.1', pay: 'https://1.1', wifi: '', hours: '' } }),
      ...marked,
      texts: Object.fromEntries([...guestTexts, ...cardTexts].map((text) => [textKey(text), `⟦${text}⟧`])),
    })
    expect(unmarked(textsIn(parsed(links.html)))).toEqual([])
    expect(parsed(links.html).querySelectorAll('nav a')).toHaveLength(4)
  })

  it('looks up every text of notes to the manager, with a script and without', async () => {
    const texts = [...managerNoteTexts, ...guestTexts].map((text) => [textKey(text), `⟦${text}⟧`])
    const note = { id: 'n1', text: '1', state: 'new' as const, by: null, answer: null }
    const notes = [
      note,
      { ...note, state: 'seen' as const },
      { ...note, state: 'taken' as const },
      { ...note, state: 'taken' as const, by: '2' },
      { ...note, state: 'closed' as const },
      { ...note, state: 'closed' as const, answer: '3' },
    ]
    for (const each of notes) {
      const page = { ...atTable({ notes: [each] }), ...marked, texts: Object.fromEntries(texts) }
      for (const draft of [null, '4']) expect(unmarked(textsIn(parsed(renderNotes(page, draft))))).toEqual([])
      setLanguage(page)
      render(<GuestApp page={page} />)
      fireEvent.click(await screen.findByRole('button', { name: '⟦Something is not right⟧' }))
      fireEvent.click(await screen.findByRole('button', { name: '⟦Send⟧' }))
      expect(screen.getByRole('alert').textContent).toBe('⟦Please tell us what is wrong⟧')
      expect(unmarked(textsIn(document.body))).toEqual([])
      cleanup()
    }
  })

  it('looks up every text when the restaurant cannot be reached', () => {
    const texts = [...guestTexts, ...renderedTexts].map((text) => [textKey(text), `⟦${text}⟧`])
    const { title, html } = renderUnavailable({ ...marked, texts: Object.fromEntries(texts) })
    expect(unmarked([title, ...textsIn(parsed(html))])).toEqual([])
  })

  it.each(files.map((file) => file.replace('.json', '')))('says nothing in English: %s', (language) => {
    const texts = new Set(
      Object.values(catalogues.get(language)?.texts ?? {}).filter((text) => typeof text === 'string'),
    )
    for (const [name, page] of Object.entries(pages)) {
      const said = (speaking: PageLanguage): string[] => {
        const { title, html } = renderPage({ ...page, ...speaking })
        return [title, ...textsIn(parsed(html))].filter((text) => /\p{L}/u.test(text))
      }
      const english = new Set(said(speakingOf('en')))
      const left = said(speakingOf(language)).filter(
        (text) => english.has(text) && !languageNames.has(text) && !isTyped(text) && !texts.has(text),
      )
      // The title and the badge name the table in a language that calls it the same.
      const same = catalogues.get(language)?.texts[textKey('Table {table}')] === 'Table {table}'
      expect({ name, left: left.filter((text) => !same || !/^(100 · )?Table/u.test(text)) }).toEqual({
        name,
        left: [],
      })
    }
  })

  it('is English with the server’s own words', () => {
    const { html } = renderPage({ ...pages['too many requests']!, ...speakingOf('en') })
    expect(html).toContain('Please wait 9 minutes')
  })

  it('says what was refused, and blames the connection only if that is why', () => {
    const said = (refused: GuestPage['refused']): string | undefined =>
      parsed(renderPage({ ...atTable({ refused }), ...speakingOf('de') }).html).querySelector('.notice')
        ?.textContent
    const saidOf = (code: ErrorCode): string | undefined => said({ code, message: 'In English' })
    const wave = 'Bitte winken Sie Ihrer Bedienung.'
    expect(saidOf('code_required')).toBe('Bitte scannen Sie den Code auf Ihrem Tisch.')
    expect(saidOf('table_muted')).toBe(wave)
    expect(saidOf('too_large')).toBe(wave)
    expect(saidOf('conflict')).toBe('Diese Anfrage ist schon erledigt')
    expect(saidOf('unavailable')).toBe(`Wir erreichen das Restaurant gerade nicht. ${wave}`)
    expect(said({ code: 'conflict', message: 'The crew has', params: { seconds: 40 } })).toBe(
      'Das Team wurde gerade informiert. Bitte warten Sie 40 Sekunden und versuchen Sie es noch einmal.',
    )
    const { code, message, params } = limitReached('guest-link-miss', 10 * minuteMs)
    expect(said({ code, message, params })).toBe(
      'Bitte scannen Sie den Code auf Ihrem Tisch. Oder: Bitte warten Sie 10 Minuten und versuchen Sie es noch einmal.',
    )
  })

  it('counts and measures as its language does', () => {
    const said = (language: string): string =>
      parsed(renderPage({ ...pages['too many requests']!, ...speakingOf(language) }).html).textContent ?? ''
    expect(said('de')).toContain('Bitte warten Sie 9 Minuten und versuchen Sie es noch einmal.')
    expect(said('ru')).toContain('9 минут.')
    expect(said('ar')).toContain('9 دقائق')
    expect(said('ja')).toContain('9 分待って')
    const asked = (language: string): string =>
      parsed(renderPage({ ...pages['a sent request']!, ...speakingOf(language) }).html).textContent ?? ''
    expect(asked('en')).toContain('10m ago')
    expect(asked('de')).toContain('vor 10 Min.')
    expect(asked('ar')).toContain('قبل 10 دقائق')
  })
})

const morningInTokyo = new Intl.DateTimeFormat('eo', {
  timeZone: 'Asia/Tokyo',
  numberingSystem: 'latn',
  weekday: 'long',
  hour: 'numeric',
  minute: '2-digit',
}).format(0)

describe('what happens on an open page', () => {
  const open = (answer: Answer): Outbox => {
    setLanguage(marked)
    const outbox = new Outbox({
      now: Date.now,
      post: async () => answer,
      storage: { all: () => [], save: () => undefined, remove: () => undefined },
      schedule: () => () => undefined,
      random: () => 0.5,
    })
    render(<GuestApp page={{ ...atTable(), ...marked }} outbox={outbox} />)
    return outbox
  }
  const tap = { ...buildTap(), restaurantId: '100' }
  const left = (): string[] => unmarked(textsIn(document.body))
  const says = (text: string): boolean => document.body.textContent?.includes(`⟦${text}⟧`) ?? false

  it.each<[Answer, string]>([
    [{ type: 'stored', request: { ...request, id: 'x' }, again: false }, 'Request Sent!'],
    [
      { type: 'stored', request: { ...request, id: 'x' }, again: false, noteCut: true },
      'Sent, but the crew cannot see all of your note.',
    ],
    [{ type: 'unreachable' }, 'Sending…'],
    [{ type: 'unreachable' }, "We can't reach the restaurant right now."],
    [
      { type: 'refused', code: 'not_found', message: 'We', params: { table: '7' } },
      "We couldn't find table 7. Please check the number on your table.",
    ],
    [{ type: 'refused', code: 'table_muted', message: 'Please' }, 'Please wave to your waiter.'],
    [
      { type: 'refused', code: 'closed', message: 'Closed', params: { until: 0, timeZone: 'Asia/Tokyo' } },
      `Closed until ${morningInTokyo}.`,
    ],
    [
      {
        type: 'refused',
        code: 'need_paused',
        message: 'Paused',
        params: { until: 0, timeZone: 'UTC', serviceType: 'food', reason: 'bar' },
      },
      'Bar closed',
    ],
    [{ type: 'refused', code: 'visit_expired', message: 'Your' }, 'Session Expired'],
    [{ type: 'refused', code: 'internal', message: 'Something' }, "We can't reach the restaurant right now."],
  ])('is said in its language: %o', async (answer, text) => {
    const outbox = open(answer)
    await act(async () => outbox.add(tap))
    expect(says(text)).toBe(true)
    expect(left()).toEqual([])
  })

  it('includes the loss of the network', () => {
    open({ type: 'unreachable' })
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => void window.dispatchEvent(new Event('offline')))
    expect(says('Your phone is not connected.')).toBe(true)
    expect(left()).toEqual([])
  })

  it('includes what becomes of a cancellation and of reminders', async () => {
    setLanguage(marked)
    let answer: object = {}
    vi.stubGlobal('fetch', async () => Response.json(answer))
    const said = async (button: string, reply: object, text: string, fields = {}): Promise<void> => {
      answer = { id: request.id, requests: [request], listening: true, barrier: null, ...reply }
      const page = { ...atTable({ requests: [request], mine: ['r1'], ...fields }), ...marked }
      render(<GuestApp page={page} />)
      await act(async () => void fireEvent.click(screen.getByRole('button', { name: `⟦${button}⟧` })))
      await expect.poll(() => says(text)).toBe(true)
      expect(left()).toEqual([])
      cleanup()
    }
    const taken = 'Taken back for you. Somebody else at your table still asks for it.'
    await said('Cancel request', { request }, taken)
    const told = "We told the crew that you're still waiting."
    await said('Still waiting', { request, told: true }, told)
    const again = { request: { ...request, stillWaiting: 2 }, told: true }
    await said('Still waiting', again, "We told the crew again that you're still waiting.")
    const already = 'The crew was told less than a minute ago.'
    await said('Still waiting', { request, told: false }, already)
    const noted = 'It is noted, but no staff screen is on.'
    await said('Still waiting', { request, told: true }, noted, { listening: false })
  })

  it('includes the move of a party, there and back', async () => {
    setLanguage(marked)
    let movedTo: string | undefined = '8'
    vi.stubGlobal('fetch', async () =>
      Response.json({ requests: [], listening: true, barrier: null, ...(movedTo && { movedTo }) }),
    )
    render(<GuestApp page={{ ...atTable(), ...marked }} />)
    const wake = (): Promise<void> =>
      act(async () => void document.dispatchEvent(new Event('visibilitychange')))
    await wake()
    await expect.poll(() => says('Your waiter moved you to table 8.')).toBe(true)
    expect(left()).toEqual([])
    movedTo = undefined
    await wake()
    await expect.poll(() => says('You are at table 7 again.')).toBe(true)
    expect(left()).toEqual([])
  })

  it('includes a request that is done', () => {
    setLanguage(marked)
    const table = { open: [], done: [request], listening: true, barrier: null }
    const place = { restaurantId: '100', tableNumber: '7', k: null }
    const never = (): boolean => false
    const act = async (): Promise<void> => undefined
    render(
      <RequestList
        {...{ place, table, sending: [], now: 0, isMine: never, canRemind: never, onWithdraw: null }}
        onAction={act}
      />,
    )
    expect(says('Done')).toBe(true)
    expect(left()).toEqual([])
  })

  it('includes the scanner', async () => {
    setLanguage(marked)
    render(<GuestApp page={{ ...pages['scan']!, ...marked }} />)
    await act(async () => void fireEvent.click(document.querySelector('.primary')!))
    await expect.poll(() => document.querySelector('[role=alert]')).not.toBeNull()
    expect(left()).toEqual([])
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')))
    const file = new File(['x'], 'x.png', { type: 'image/png' })
    fireEvent.change(document.querySelector('[type=file]')!, { target: { files: [file] } })
    const noCode =
      'No QR code was found in this picture. Please try another one or enter your table number manually.'
    await expect.poll(() => says(noCode)).toBe(true)
    expect(left()).toEqual([])
  })
})

describe('the choice of a language', () => {
  const languageForm = (): HTMLFormElement => document.querySelector<HTMLFormElement>('.languages form')!
  const fields = (form: Element): string[][] =>
    [...form.querySelectorAll<HTMLInputElement>('input')].map(({ name, value }) => [name, value])

  it('leaves out what is not known yet', () => {
    const languageFields = parsed(renderPage(pages['scan']!).html).querySelector('.languages')!
    expect(fields(languageFields)).toEqual([])
  })

  it('waits for the network, as what was tapped is in this page', () => {
    render(<GuestApp page={atTable()} outbox={undefined} />)
    expect(fireEvent.submit(languageForm())).toBe(true)
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => void window.dispatchEvent(new Event('offline')))
    expect(fireEvent.submit(languageForm())).toBe(false)
    expect(document.querySelector('[role=alert]')?.textContent).toBe(
      'No connection to the server. Please check the network and try again.',
    )
  })

  it('closes on Escape, when the focus leaves it, and when the page comes back', () => {
    render(<GuestApp page={atTable()} />)
    const details = document.querySelector<HTMLDetailsElement>('.languages')!
    const summary = details.querySelector('summary')!
    const choices = details.querySelectorAll('button')
    const afterOpening = (leave: () => void): boolean => {
      details.open = true
      choices[0]!.focus()
      leave()
      return details.open
    }
    expect(afterOpening(() => choices.item(0).blur())).toBe(true)
    expect(afterOpening(() => summary.focus())).toBe(true)
    expect(afterOpening(() => document.querySelector<HTMLElement>('.services button')!.focus())).toBe(false)
    expect(afterOpening(() => void fireEvent.keyDown(choices[0]!, { key: 'Escape' }))).toBe(false)
    expect(document.activeElement).toBe(summary)
    const show = (persisted: boolean) => (): void =>
      void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted }))
    expect(afterOpening(show(false))).toBe(true)
    expect(afterOpening(show(true))).toBe(false)
  })

  it('goes with every form and address where the browser keeps no cookies', () => {
    const form = (speaking: Partial<PageLanguage>): Element =>
      parsed(renderPage({ ...atTable(), ...speakingOf('de'), ...speaking }).html)
    const page = form({ inAddress: true })
    expect(fields(page.querySelector('.services')!)).toContainEqual(['lang', 'de'])
    expect(fields(page.querySelector('.languages')!).map(([name]) => name)).toEqual(['r', 't'])
    expect(page.querySelector('a')?.getAttribute('href')).toBe('/customer?r=100&from=7&lang=de')
    expect(fields(form({}).querySelector('.services')!).map(([name]) => name)).not.toContain('lang')
  })
})

describe.each(files)('the catalogue %s', (file) => {
  const read = parse(Catalogue, JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
  if (!read.ok) throw new Error(`${file}: ${read.message}`)
  const { language, reviewed, texts } = read.value

  it('is named after its language, and machine-made until a speaker has read it', () => {
    expect([file, reviewed]).toEqual([`${language}.json`, false])
  })

  it('has every text, no other, and the values of each', () => {
    expect(Object.keys(texts).toSorted()).toEqual(
      [...guestTexts, ...managerNoteTexts, ...cardTexts, ...renderedTexts].toSorted(),
    )
    const valuesOf = (text: string): string => placeholdersOf(text).toSorted().join()
    const wrong = Object.entries(texts).filter(([key, translation]) => {
      const forms = typeof translation === 'string' ? [translation] : Object.values(translation)
      return forms.some((form = '') => valuesOf(form) !== valuesOf(key))
    })
    expect(wrong).toEqual([])
  })

  it('adds at most 2 kB to the page, as it is sent, also with a card and notes to the manager', () => {
    const all = catalogues.get(language)
    const packed = packTexts({ ...all?.texts, ...all?.noteTexts, ...all?.cardTexts })
    const brotli = brotliCompressSync(JSON.stringify(packed), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6 },
    })
    expect(brotli.length).toBeLessThanOrEqual(2_000)
    expect(unpackTexts(packed)).toEqual({ ...all?.texts, ...all?.noteTexts, ...all?.cardTexts })
  })
})

it('offers sixteen languages, of which English costs nothing', () => {
  expect(Object.keys(languages).toSorted()).toEqual(
    ['en', ...files.map((file) => file.replace('.json', ''))].toSorted(),
  )
  expect(Object.keys(languages)).toHaveLength(16)
  expect(catalogues.get('en')?.texts).toEqual({})
  expect(Object.keys(languages).filter(isRightToLeft).toSorted()).toEqual(['ar', 'he'])
})

it('names no two texts alike', () => {
  const texts = [...guestTexts, ...managerNoteTexts, ...cardTexts, ...renderedTexts]
  expect(new Set(texts.map(textKey)).size).toBe(texts.length)
})
