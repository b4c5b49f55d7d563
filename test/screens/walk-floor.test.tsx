// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { openStaffApp, press } from '../support/pages/staff-app.tsx'

const app = setUpApp({ billing: false })

const latest = (): string => screen.getByRole('status').textContent
function type(code: string): void {
  const field = screen.getByLabelText<HTMLInputElement>('Short link')
  fireEvent.change(field, { target: { value: code } })
  const { form } = field
  if (form) fireEvent.submit(form)
}

it('the floor is walked from the keyboard: tables are ticked off, and what is wrong is named', async () => {
  const rival = await app.restaurant({ tables: ['1'] })
  const { owner } = await app.restaurant({ tables: ['7', 'Patio 3'] })
  const { cards } = await owner.ok(api.qr.sheet, {})
  const foreign = (await rival.owner.ok(api.qr.sheet, {})).cards[0]
  openStaffApp('/admin/cards', {}, owner)
  await screen.findByRole('link', { name: 'Walk the Floor' }, { timeout: 20_000 })
  press('link', 'Walk the Floor')
  await screen.findByText('0 of 2 tables checked', {}, { timeout: 20_000 })

  type('')
  expect(screen.getByText('Please type a short link')).toBeDefined()
  type(cards[0]?.shortLink.replace(/^.*\/t\//u, '').toLowerCase() ?? '')
  await waitFor(() => expect(latest()).toBe('Table 7 is right.'))
  const field = screen.getByLabelText<HTMLInputElement>('Short link')
  expect([field.value, document.activeElement]).toEqual(['', field])
  expect(screen.getByText('1 of 2 tables checked')).toBeDefined()

  type(cards[0]?.link ?? '')
  await waitFor(() => expect(latest()).toBe('Table 7 was scanned already.'))
  type(foreign?.link ?? '')
  await waitFor(() => expect(latest()).toBe(`A code of another restaurant: ${rival.name}`))
  type(foreign?.shortLink ?? '')
  await waitFor(() => expect(latest()).toMatch(/^A short link that belongs to no table/u))
  expect(screen.getByRole('region', { name: 'What Is Wrong' }).querySelectorAll('li')).toHaveLength(2)
  expect(screen.queryByText('Every table has its code.')).toBeNull()

  type(cards[1]?.link ?? '')
  await waitFor(() => expect(latest()).toBe('Table Patio 3 is right.'))
  expect(screen.getByText('Every table has its code.')).toBeDefined()
})

it('a walk goes on after a reload until it is started anew, and is felt', async () => {
  const { owner, name } = await app.restaurant({ tables: ['7', 'Patio 3'] })
  const { cards } = await owner.ok(api.qr.sheet, {})
  const vibrations: unknown[] = []
  Reflect.set(navigator, 'vibrate', (pattern: unknown) => vibrations.push(pattern))
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'vibrate'))
  const open = async (title: string): Promise<void> => {
    cleanup()
    openStaffApp('/admin/cards/walk', {}, owner)
    await screen.findByText(title, {}, { timeout: 20_000 })
  }
  await open('0 of 2 tables checked')
  expect(screen.queryByRole('button', { name: 'Start Anew' })).toBeNull()
  type(cards[0]?.link ?? '')
  await waitFor(() => expect(vibrations).toEqual([80]))
  type('A menu')
  await waitFor(() => expect(vibrations).toEqual([80, [80, 80, 80]]))

  await open('1 of 2 tables checked')
  expect(screen.getByRole('region', { name: 'What Is Wrong' }).querySelectorAll('li')).toHaveLength(1)
  expect([latest(), vibrations.length]).toEqual(['', 2])
  press('button', 'Start Anew')
  await screen.findByText('0 of 2 tables checked')
  await open('0 of 2 tables checked')

  type(cards[0]?.link ?? '')
  const key = `walk_${name}`
  await waitFor(() => expect(localStorage.getItem(key)).not.toBeNull())
  const { at, codes }: { at: number; codes: string[] } = JSON.parse(localStorage.getItem(key) ?? '{}')
  localStorage.setItem(key, JSON.stringify({ at: at - 13 * 3_600_000, codes }))
  await open('0 of 2 tables checked')
  localStorage.setItem(key, '{"at":"now","codes":[1]}')
  await open('0 of 2 tables checked')
})

it('a browser without a camera says what to do instead', async () => {
  const { owner } = await app.restaurant({ tables: ['7'] })
  openStaffApp('/admin/cards/walk', {}, owner)
  fireEvent.click(await screen.findByRole('button', { name: 'Start Scanning' }, { timeout: 20_000 }))
  expect((await screen.findByRole('alert')).textContent).toContain('The camera cannot be used.')
  expect(screen.getByRole('button', { name: 'Start Scanning' })).toBeDefined()
})
