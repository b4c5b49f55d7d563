// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { Need } from '#contract/requests/needs.ts'
import { setUpApp } from '../support/app.ts'
import { type Answers, emptyOverview, openStaffApp, waitForToast } from '../support/pages/staff-app.tsx'

const app = setUpApp()
const figures: Answers = { 'GET /api/analytics/overview': emptyOverview }

// As on an installation that adds Esperanto.
beforeEach(() => void (document.documentElement.dataset['guestLanguages'] = 'de en eo'))
afterEach(() => void delete document.documentElement.dataset['guestLanguages'])

const openNeeds = async (owner: Parameters<typeof openStaffApp>[2]) => {
  openStaffApp('/admin-dashboard/needs', figures, owner)
  await screen.findByRole('button', { name: 'Save Needs' }, { timeout: 20_000 })
  const region = screen.getByRole('region', { name: 'Needs' })
  const card = within(region)
  return {
    card,
    press: (name: string) => fireEvent.click(card.getByRole('button', { name })),
    rows: () => [...region.querySelectorAll('[data-need] bdi')].map((name) => name.textContent),
    tiles: () => [...region.querySelectorAll('[data-theme="dark"] bdi')].map((name) => name.textContent),
    shown: (name: string) => card.getByRole('checkbox', { name: `Shown: ${name}` }),
  }
}

const type = (label: string, value: string, index = 0): void => {
  const field = within(screen.getByRole('dialog')).getAllByLabelText(label)[index]
  if (field) fireEvent.change(field, { target: { value } })
}
const waitForFocusInDialog = (): Promise<void> =>
  waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
const pressInDialog = (name: string): void =>
  void fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }))

it('the owner renames, reorders and hides the six, and always leaves one', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { card, press, rows, tiles, shown } = await openNeeds(owner)
  const six = ['Call Waiter', 'Drinks', 'Food Order', 'Check/Bill', 'Assistance', 'Other']
  expect(rows()).toEqual(six)
  expect(tiles()).toEqual([...six.slice(1), 'Call Waiter'])
  expect(card.getByRole('button', { name: 'Move Call Waiter up' }).matches(':disabled')).toBe(true)

  const up = card.getByRole('button', { name: 'Move Check/Bill up' })
  up.focus()
  fireEvent.click(up)
  expect(card.getByText('Check/Bill: place 3 of 6')).toBeDefined()
  expect(document.activeElement).toBe(card.getByRole('button', { name: 'Move Check/Bill up' }))
  press('Move Check/Bill up')
  press('Move Check/Bill up')
  expect(rows()[0]).toBe('Check/Bill')
  await waitFor(() =>
    expect(document.activeElement).toBe(card.getByRole('button', { name: 'Move Check/Bill down' })),
  )
  for (const name of ['Drinks', 'Food Order', 'Check/Bill', 'Assistance', 'Other'])
    fireEvent.click(shown(name))
  expect(tiles()).toEqual(['Call Waiter'])
  fireEvent.click(shown('Call Waiter'))
  await waitForToast('Please leave at least one need for your guests')
  expect(shown('Call Waiter').matches(':checked')).toBe(true)

  press('Change Drinks')
  type('Language of the names', 'de')
  type('Name', ' Bar ')
  pressInDialog('Done')
  expect(rows()).toContain('Bar')
  expect(card.getByText('Not saved yet')).toBeDefined()
  press('Save Needs')
  await waitForToast('Needs saved')
  await waitFor(() => expect(card.queryByText('Not saved yet')).toBeNull())
  const { needs } = await owner.ok(api.needs.state, {})
  expect(needs.map(({ id, hidden }) => [id, hidden])).toEqual([
    ['check', true],
    ['general', false],
    ['drinks', true],
    ['food', true],
    ['assistance', true],
    ['other', true],
  ])
  expect(needs[2]?.name).toEqual({ de: 'Bar' })
})

it('the owner adds a need with choices and a note, and takes it back', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { card, press, rows } = await openNeeds(owner)
  press('Add a Need')
  const dialog = within(screen.getByRole('dialog'))
  await waitForFocusInDialog()
  pressInDialog('Done')
  expect(await dialog.findByText('Please enter a name')).toBeDefined()
  expect(document.activeElement).toBe(dialog.getByLabelText('Name'))
  type('Name', 'Water')
  fireEvent.click(dialog.getByRole('radio', { name: 'Water' }))
  type('Who is called first', 'Busser')
  pressInDialog('Add a Choice')
  type('Choice 1', 'Still')
  pressInDialog('Add a Choice')
  type('Choice 2', 'Sparkling')
  pressInDialog('Add a Choice')
  fireEvent.click(dialog.getByRole('checkbox', { name: 'Guests may add a short note' }))
  type('Language of the names', 'de')
  expect(dialog.getByLabelText('Name').getAttribute('placeholder')).toBeNull()
  type('Name', 'Wasser')
  type('Choice 1', 'Still (DE)')
  type('Language of the names', 'eo')
  type('Name', 'Akvo')
  type('Language of the names', 'de')
  for (const seconds of ['1e2', '5']) {
    type('Target time in seconds', seconds)
    pressInDialog('Done')
    expect(await dialog.findByText('Please choose 15 seconds to 60 minutes')).toBeDefined()
  }
  type('Target time in seconds', '120')
  pressInDialog('Done')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(rows()).toContain('Wasser')
  press('Save Needs')
  await waitForToast('Needs saved')
  const { needs } = await owner.ok(api.needs.state, {})
  expect(needs.at(-1)).toEqual({
    id: expect.stringMatching(/^[\w-]{12}$/u),
    name: { en: 'Water', de: 'Wasser', eo: 'Akvo' },
    icon: 'water',
    targetMs: 120_000,
    calls: 'Busser',
    choices: [
      { id: expect.any(String), name: { en: 'Still', de: 'Still (DE)' } },
      { id: expect.any(String), name: { en: 'Sparkling' } },
    ],
    note: true,
    hidden: false,
  } satisfies Need)

  press('Change Wasser')
  pressInDialog('Remove choice 1')
  pressInDialog('Done')
  press('Save Needs')
  await expect
    .poll(async () => (await owner.ok(api.needs.state, {})).needs.at(-1)?.choices.map(({ name }) => name))
    .toEqual([{ en: 'Sparkling' }])
  press('Change Wasser')
  await waitForFocusInDialog()
  pressInDialog('Remove')
  await waitFor(() => expect(rows()).toHaveLength(6))
  await waitFor(() => expect(document.activeElement).toBe(card.getByRole('button', { name: 'Add a Need' })))
})

it('what is not saved stays when saving fails', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const given: Answers = {
    ...figures,
    'PUT /api/needs': [503, { code: 'unavailable', message: 'Not now' }],
  }
  openStaffApp('/admin-dashboard/needs', given, owner)
  const down = await screen.findByRole('button', { name: 'Move Drinks down' }, { timeout: 20_000 })
  fireEvent.click(down)
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save Needs' })))
  await waitForToast('Not now')
  expect(screen.getByText('Not saved yet')).toBeDefined()
  expect((await owner.ok(api.needs.state, {})).needs[1]?.id).toBe('drinks')
})

it('saving without a change shows what another owner has saved meanwhile, and keeps it', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { press, shown } = await openNeeds(owner)
  const { needs } = await owner.ok(api.needs.state, {})
  const theirs = needs.map((need) => (need.id === 'drinks' ? { ...need, hidden: true } : need))
  await owner.ok(api.needs.set, { body: { needs: theirs } })
  press('Save Needs')
  await waitFor(() => expect(shown('Drinks').matches(':checked')).toBe(false))
  expect(await owner.ok(api.needs.state, {})).toEqual({ needs: theirs })
})

it('an owner who gives a need the name of another is told, and what was typed stays', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { card, press, rows } = await openNeeds(owner)
  press('Add a Need')
  type('Name', 'drinks')
  pressInDialog('Done')
  await waitFor(() => expect(rows()).toContain('drinks'))
  press('Save Needs')
  await waitForToast('There is a need called drinks (English) already')
  expect(card.getByText('Not saved yet')).toBeDefined()
  press('Change drinks')
  type('Name', 'Soft drinks')
  pressInDialog('Done')
  press('Save Needs')
  await waitForToast('Needs saved')
})
