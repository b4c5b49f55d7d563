// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../support/app.ts'
import {
  device,
  fieldProblem,
  fill,
  findTitle,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'
import { subscribeInSandbox } from '../support/stripe/sandbox-subscription.ts'

const app = setUpApp()
let owner: TestBrowser
beforeEach(async () => {
  owner = (await app.restaurant()).owner
})

const checklist = 'Six steps to the first guest'
const openHome = async (path = '/dashboard') => {
  openStaffApp(path, {}, owner)
  return within(await screen.findByRole('region', { name: checklist }))
}
const waitUntilDone = (count: number): Promise<HTMLElement> => screen.findByText(`${count} of 6 done`)

it.each(['/portal-selection', '/dashboard'])('leads a new owner from step to step on %s', async (path) => {
  const steps = await openHome(path)
  await waitUntilDone(0)
  expect(steps.getByLabelText<HTMLInputElement>('Number of Tables').value).toBe('10')
  fill({ 'Number of Tables': '1e2' })
  press('button', 'Set Up Tables')
  await waitForToast('Please enter a valid number of tables')
  expect(fieldProblem('Number of Tables')).toContain('Please enter a valid number of tables')
  fill({ 'Number of Tables': '4' })
  await pressWhenReady('Set Up Tables')
  await waitUntilDone(1)
  await steps.findByText('4 tables')

  press('button', 'Add Crew Member')
  await waitForToast('Please enter a crew member name')
  expect(fieldProblem('Crew Member Name')).toContain('Please enter a crew member name')
  for (const [index, name] of ['Maya', 'Otto'].entries()) {
    fill({ 'Crew Member Name': name })
    await pressWhenReady('Add Crew Member')
    // The step stays open for the next one, who has the focus already.
    await steps.findByText(index === 0 ? '1 person' : '2 people')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Crew Member Name')))
  }
  await waitUntilDone(2)
  fill({ 'Crew Member Name': 'otto' })
  await steps.findByText(/^Otto is in the crew already/u)
  fill({ 'Crew Member Name': '' })

  const preview = within(screen.getByRole('region', { name: 'What your crew will see' }))
  await preview.findByText('Maya')
  expect(preview.queryByText('your table')).toBeNull()
  await pressWhenReady('Assign All Tables')
  await waitUntilDone(3)
  await steps.findByText('4 tables have somebody')
  await preview.findByText('your table')
  expect(screen.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href')).toBe('/subscribe')
})

it('shows whoever was added although the answer was lost, before there are two', async () => {
  const { answers } = openStaffApp('/dashboard', {}, owner)
  await screen.findByRole('region', { name: checklist })
  answers['POST /api/crew'] = async (body) => {
    expect((await owner.send('POST', '/api/crew', body)).status).toBe(201)
    delete answers['POST /api/crew']
    throw new TypeError('Failed to fetch')
  }
  press('button', 'Open step 2: Crew')
  fill({ 'Crew Member Name': 'Maya' })
  await pressWhenReady('Add Crew Member')
  await waitForToast(/^No connection to the server/u)
  await pressWhenReady('Add Crew Member')
  await screen.findByText(/^Maya is in the crew already/u)
  const names = async () => (await owner.ok(api.crew.list, {})).map(({ name }) => name)
  expect(await names()).toEqual(['Maya'])
  await pressWhenReady('Add Crew Member')
  await waitForToast('Crew member added')
  expect(await names()).toEqual(['Maya', 'Maya'])
})

it('keeps what another owner has assigned since', async () => {
  await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 2 } })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const otto = await owner.ok(api.crew.add, { body: { name: 'Otto', role: 'Server' } })
  const steps = await openHome()
  await waitUntilDone(2)
  const { steps: found } = await owner.ok(api.firstSteps.list, {})
  const [table] = await owner.ok(api.floor.tables, {})
  const body = { date: found?.day ?? '', assignments: [{ tableId: table?.id ?? '', crewMemberId: otto.id }] }
  const assigned = await owner.ok(api.floor.assign, { body })
  fireEvent.change(await steps.findByLabelText('All tables today'), { target: { value: maya.id } })
  await pressWhenReady('Assign All Tables')
  await waitForToast('Somebody else changed this table meanwhile')
  await waitUntilDone(3)
  const query = { date: body.date }
  expect(await owner.ok(api.floor.assignmentsByDate, { query })).toEqual(assigned)
})

it('offers the codes once they are paid for', async () => {
  await openHome()
  press('button', 'Open step 5: Codes')
  await screen.findByText('Choose a plan first.')
  expect(screen.getByRole('button', { name: 'Make the Codes' }).matches(':disabled')).toBe(true)
  await subscribeInSandbox(app, owner)
  // Back from where that was done.
  window.dispatchEvent(new Event('focus'))
  await waitUntilDone(1)
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Make the Codes' }).matches(':disabled')).toBe(false),
  )
})

it('the first steps can be hidden for good', async () => {
  await openHome()
  press('button', 'Hide these steps')
  await waitFor(() => expect(screen.queryByRole('region', { name: checklist })).toBeNull())
  expect(await owner.ok(api.firstSteps.list, {})).toEqual({ steps: null })
})

it('the first steps are gone once all are done', async () => {
  const all = ['tables', 'crew', 'assignments', 'plan', 'codes', 'request']
  const steps = { done: all, tables: 1, crew: 1, assigned: 1, day: '2026-11-20', table: '1' }
  openStaffApp('/dashboard', { 'GET /api/first-steps': [200, { steps }] }, owner)
  await screen.findByRole('region', { name: 'You are ready for guests' })
  await expect.poll(() => owner.ok(api.firstSteps.list, {})).toEqual({ steps: null })
})

describe('is not shown', () => {
  it('to a device', async () => {
    const { whenLoaded } = openStaffApp('/portal-selection', device)
    await findTitle('Select Portal')
    await whenLoaded()
    expect(screen.queryByText(/of 6 done/)).toBeNull()
  })

  it('again to an owner who has done it', async () => {
    await owner.ok(api.firstSteps.finish, {})
    const { whenLoaded } = openStaffApp('/dashboard', {}, owner)
    await findTitle('Welcome back')
    await whenLoaded()
    expect(screen.queryByText(/of 6 done/)).toBeNull()
  })
})

it('offers to try a request only where there is a table', async () => {
  openStaffApp('/admin/try', {}, owner)
  await screen.findByText('Set up your tables first: a guest asks from one of them.')
})

it('shows a guest’s and the crew’s screen side by side', async () => {
  await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: ['Patio 2', '7'] } })
  openStaffApp('/admin/try', {}, owner)
  const guest = await screen.findByTitle<HTMLIFrameElement>(/^A guest’s phone at table/)
  const { pathname, searchParams } = new URL(guest.src)
  expect([pathname, searchParams.get('k')]).toEqual(['/customer', expect.any(String)])
  expect(guest.title).toBe(`A guest’s phone at table ${searchParams.get('t')}`)
  expect(new URL(screen.getByTitle<HTMLIFrameElement>('The crew’s screen').src).pathname).toBe('/waiter')
})
