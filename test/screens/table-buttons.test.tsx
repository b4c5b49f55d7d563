// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import * as v from 'valibot'
import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { NewTableButton } from '#contract/requests/buttons.ts'
import { setUpApp } from '../support/app.ts'
import {
  type Answers,
  emptyOverview,
  openStaffApp,
  ownerSignedIn,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'

const app = setUpApp({ billing: false })

const card = (): HTMLElement => screen.getByRole('region', { name: 'Table Buttons' })

async function openTableButtons(
  { owner }: Pick<Awaited<ReturnType<typeof app.restaurant>>, 'owner'>,
  answers: Answers = {},
): Promise<void> {
  openStaffApp('/admin-dashboard/floor', { 'GET /api/analytics/overview': emptyOverview, ...answers }, owner)
  fireEvent.click(await screen.findByRole('button', { name: 'Table Buttons' }, { timeout: 20_000 }))
  await screen.findByRole('button', { name: 'Make Button' }, { timeout: 20_000 })
}

const choose = (label: string, text: string): void => {
  const select = within(card()).getByLabelText<HTMLSelectElement>(label)
  const option = within(select).getByRole<HTMLOptionElement>('option', { name: text })
  fireEvent.change(select, { target: { value: option.value } })
}

it('a button is made for a table, shows its token once, and is revoked', async () => {
  const writeText = vi.fn(() => Promise.resolve())
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'clipboard'))
  const restaurant = await app.restaurant({ tables: ['1', '2'] })
  await openTableButtons(restaurant)
  expect(await within(card()).findByText('No buttons yet.')).toBeDefined()
  choose('Button at Table', '2')
  choose('Asks for', 'Check/Bill')
  press('button', 'Make Button')
  const said = await within(card()).findByRole('status')
  const [token = '', command = ''] = [...card().querySelectorAll('code')].map(
    ({ textContent }) => textContent,
  )
  expect(said.textContent).toContain('Save the token now')
  expect(said.textContent).not.toContain(token)
  expect(command).toContain(
    `/api/buttons/press -H 'content-type: application/json' -d '{"token":"${token}"}'`,
  )
  press('button', 'Copy Token')
  await waitForToast('Copied')
  expect(writeText).toHaveBeenCalledWith(token)

  await app.browser().ok(api.buttons.press, { body: { token } })
  press('button', 'Hide Table Buttons')
  press('button', 'Table Buttons')
  expect(await within(card()).findByText(/^Last pressed/u)).toBeDefined()
  expect(within(card()).queryByText(token)).toBeNull()

  press('button', 'Make Button')
  await within(card()).findByRole('group', { name: 'Table 1: Call Waiter.' })
  press('button', 'Revoke Table 2: Check/Bill')
  await pressWhenReady('Revoke')
  await waitForToast('Button revoked')
  // The new token stays until its own button is revoked.
  expect(within(card()).getByRole('group', { name: 'Table 1: Call Waiter.' })).toBeDefined()
  press('button', 'Revoke Table 1: Call Waiter')
  await pressWhenReady('Revoke')
  expect(await within(card()).findByText('No buttons yet.')).toBeDefined()
  await waitFor(() => expect(within(card()).queryByRole('group')).toBeNull())
  expect(card().querySelector('code')).toBeNull()
  expect(await app.browser().call(api.buttons.press, { body: { token } })).toMatchObject({ status: 404 })
  await expect.poll(() => document.activeElement?.getAttribute('name')).toBe('tableId')
})

it('a button asks for what the restaurant offers, under the name that it has there', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const water = { id: 'water', name: { en: 'Water' }, icon: 'water', targetMs: 60_000 } as const
  const needs = [water, { id: 'check' as const, name: { en: 'Pay' } }]
  await restaurant.owner.ok(api.needs.set, { body: { needs } })
  await openTableButtons(restaurant)
  choose('Asks for', 'Pay')
  press('button', 'Make Button')
  await within(card()).findByRole('group', { name: 'Table 1: Pay.' })
  choose('Asks for', 'Water')
  press('button', 'Make Button')
  await within(card()).findByRole('group', { name: 'Table 1: Water.' })
  expect(within(card()).getByRole('button', { name: 'Revoke Table 1: Pay' })).toBeDefined()
  const token = card().querySelector('code')?.textContent ?? ''
  const { request } = await app.browser().ok(api.buttons.press, { body: { token } })
  expect(request).toMatchObject({ serviceType: 'other', need: { id: 'water' } })
})

it('a button that needs a subscription says so', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const refusal = { code: 'payment_required', message: 'Subscription Required' }
  await openTableButtons(restaurant, { 'POST /api/buttons': [402, refusal] })
  press('button', 'Make Button')
  await waitForToast('Subscription Required')
  expect(within(card()).queryByRole('status')).toBeNull()
})

const cards = ['7', 'Patio 3'].map((tableNumber) => ({
  id: `id of ${tableNumber}`,
  tableNumber,
  shortLink: 'https://tableside.example/t/K7QF-M2XW',
  link: `https://tableside.example/customer?r=The+Copper+Pot&t=${encodeURIComponent(tableNumber)}&k=1.abc`,
  svg: '<svg viewBox="0 0 21 21"><path d="M0 0h1v1z"/></svg>',
}))

async function openNfcTags(): Promise<HTMLElement> {
  openStaffApp('/admin/cards', { ...ownerSignedIn, 'GET /api/qr-codes/sheet': [200, { cards }] })
  fireEvent.click(await screen.findByRole('button', { name: 'NFC Tags' }, { timeout: 20_000 }))
  return screen.findByRole('dialog', { name: 'NFC Tags' })
}

/** A phone that has NFC: what was written, and what happens when a tag is held to it. */
function stubTagWriter() {
  const written: { records: object[] }[] = []
  const tags: { hold: () => void; fail: (name: string) => void; signal: AbortSignal }[] = []
  class NDEFReader {
    write(message: { records: object[] }, { signal }: { signal: AbortSignal }): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')))
      tags.push({
        signal,
        hold() {
          written.push(message)
          resolve()
        },
        fail: (name) => reject(new DOMException('no', name)),
      })
      return promise
    }
  }
  vi.stubGlobal('NDEFReader', NDEFReader)
  return { written, tags }
}

it('a phone with NFC writes the link of a table onto a tag', async () => {
  const { written, tags } = stubTagWriter()
  const dialog = within(await openNfcTags())
  fireEvent.change(dialog.getByLabelText('Table'), { target: { value: 'Patio 3' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  expect(dialog.getByRole('status').textContent).toBe('Hold the tag to the back of the phone.')
  tags[0]?.hold()
  expect(await dialog.findByText('The tag of table Patio 3 is written.')).toBeDefined()
  expect(written).toEqual([{ records: [{ recordType: 'url', data: cards[1]?.link }] }])

  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  tags[1]?.fail('NotSupportedError')
  expect(await dialog.findByText('This phone has no NFC, or it is turned off.')).toBeDefined()
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  tags[2]?.fail('NotAllowedError')
  expect(await dialog.findByText(/^NFC is not allowed for this page/u)).toBeDefined()
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  tags[3]?.fail('NetworkError')
  expect(await dialog.findByText(/^The tag could not be written/u)).toBeDefined()

  // Another table: the tag that comes now must not get the link of the one before.
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  fireEvent.change(dialog.getByLabelText('Table'), { target: { value: '7' } })
  expect(tags[4]?.signal.aborted).toBe(true)
  expect(dialog.getByRole('status').textContent).toBe('')
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Stop' }))
  expect(tags[5]?.signal.aborted).toBe(true)
  fireEvent.click(dialog.getByRole('button', { name: 'Write to Tag' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Close' }))
  await expect.poll(() => tags[6]?.signal.aborted).toBe(true)
  expect(written).toHaveLength(1)
})

it('any other browser shows the link to copy', async () => {
  const dialog = within(await openNfcTags())
  expect(dialog.getByText(/^This browser cannot write tags/u)).toBeDefined()
  expect(dialog.queryByRole('button', { name: 'Write to Tag' })).toBeNull()
  expect(dialog.getByText(cards[0]?.link ?? '')).toBeDefined()
  fireEvent.click(dialog.getByRole('button', { name: 'Copy Link' }))
  await waitForToast('Please select the text and copy it.')
})

it('lists a button whose answer was lost, so that it can be revoked', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  await openTableButtons(restaurant, {
    'POST /api/buttons': async (body) => {
      await restaurant.owner.ok(api.tableButtons.add, { body: v.parse(NewTableButton, body) })
      throw new TypeError('Failed to fetch')
    },
  })
  press('button', 'Make Button')
  await waitForToast('Failed to make the button')
  expect(await within(card()).findByRole('button', { name: 'Revoke Table 1: Call Waiter' })).toBeDefined()
})
