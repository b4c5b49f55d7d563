import { readFileSync } from 'node:fs'
// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setCatalogue } from '../../src/client/lib/texts/translate.ts'
import { setUpApp, type TestBrowser } from '../support/app.ts'
import { openStaffApp } from '../support/pages/staff-app.tsx'
import { addCrew } from '../support/restaurants/busy-restaurant.ts'

const app = setUpApp()

/** What the page lists, newest first: at first, or all of it. */
async function entriesFor(owner: TestBrowser, name = 'Activity', { all = false } = {}): Promise<string[]> {
  openStaffApp('/security', {}, owner)
  const card = within(await screen.findByRole('region', { name }, { timeout: 20_000 }))
  const [list] = await card.findAllByRole('list')
  if (all) fireEvent.click(card.getByRole('button'))
  return within(list ?? document.body)
    .getAllByRole('listitem')
    .map((entry) => entry.querySelector('p')?.textContent ?? '')
}

it('lists a token that is valid until it is revoked', async () => {
  const { owner } = await app.restaurant()
  await owner.ok(api.apiTokens.create, { body: { name: 'Till', scopes: ['requests:read'], days: null } })
  expect(await entriesFor(owner)).toEqual([
    'Made an API token: Till · See what guests ask for, as it happens · Until it is revoked',
  ])
})

it('goes on with the first older entry where the button that showed it is gone', async () => {
  const { owner } = await app.restaurant()
  for (const seconds of [70, 80, 90, 100, 110, 120, 130])
    await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: seconds * 1_000 } })
  expect(await entriesFor(owner)).toHaveLength(5)
  const button = screen.getByRole('button', { name: 'Show older' })
  button.focus()
  fireEvent.click(button)
  const card = within(screen.getByRole('region', { name: 'Activity' }))
  await waitFor(() => expect(card.getAllByRole('listitem')).toHaveLength(7))
  expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(card.getAllByRole('listitem')[5]))
})

it('says everything in the language of the page', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { id } = await addCrew(owner, 'Maya Chen', 'Busser')
  const login = { username: 'maya', password: 'copper-lantern-43', pin: '2468' }
  await owner.ok(api.crew.change, { params: { id }, body: { role: 'Host', ...login } })
  await owner.ok(api.escalation.setSettings, {
    body: { ...(await owner.ok(api.escalation.settings, {})), acceptMs: 200_000 },
  })
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: 120_000 } })
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: null } })
  await owner.ok(api.retention.set, { body: { requests: 90, messages: null, log: 400 } })
  useGerman()
  const delays = (first: number, second: number): string =>
    [
      ...['Bedienung rufen', 'Getränke', 'Essen bestellen'].map((need) => `${first} s (${need})`),
      ...['Rechnung', 'Hilfe'].map((need) => `${second} s (${need})`),
      `${first} s (Sonstiges)`,
    ].join(', ')
  expect(await entriesFor(owner, 'Aktivität', { all: true })).toEqual([
    'Aufbewahrung geändert: Anfragen, in Tagen: 90 · Protokoll der Änderungen, in Tagen: 400',
    'Geändert, wann unbeantwortete Meldungen nach außen gehen: Nie',
    'Geändert, wann unbeantwortete Meldungen nach außen gehen: 120 s',
    `Einstellungen der Meldungen geändert: Alle nach: ${delays(40, 20)} · Leitung nach: ${delays(45, 22.5)} · Wartet wieder nach: 200 s`,
    'Teammitglied geändert: Maya Chen · Rolle, PIN, Benutzername, Passwort',
    'Teammitglied angelegt: Maya Chen · Abräumen',
    'Tische anlegen: 1',
  ])
})

function useGerman(): void {
  const { lang } = document.documentElement
  const texts = ['staff', 'portals'].flatMap((folder) => {
    const file = readFileSync(`catalogues/${folder}/de.json`, 'utf8')
    return Object.entries<string>(JSON.parse(file).texts)
  })
  document.documentElement.lang = 'de'
  setCatalogue('de', new Map(texts))
  onTestFinished(() => {
    document.documentElement.lang = lang
    setCatalogue('en', new Map())
  })
}
