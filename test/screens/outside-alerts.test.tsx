// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Answers,
  fieldProblem,
  fill,
  openStaffApp,
  ownerSignedIn,
  press,
  pressWhenReady,
  toastText,
} from '../support/pages/staff-app.tsx'

beforeEach(() => {
  document.documentElement.dataset['mail'] = 'on'
})
afterEach(() => {
  delete document.documentElement.dataset['mail']
})

const hook = {
  id: 'hook',
  kind: 'webhook',
  address: 'https://hooks.example.com/',
  confirmed: true,
  alerts: true,
  weeklyReport: false,
  topics: [],
  last: null,
}
const mail = { ...hook, id: 'mail', kind: 'email', address: 'me@example.com', confirmed: false }
const at = Date.UTC(2026, 10, 22, 19, 42)

async function openCard(settings: object, answers: Answers = {}) {
  const opened = openStaffApp('/admin-dashboard/alerts', {
    ...ownerSignedIn,
    'GET /api/admin/current-user': [200, { restaurantName: 'The Copper Pot', managerUsername: null }],
    'GET /api/owner-notices': [200, []],
    'GET /api/outside-alerts': [200, settings],
    ...answers,
  })
  await screen.findByLabelText('Tell somebody outside', {}, { timeout: 20_000 })
  const card = screen.getByRole('region', { name: 'If nobody answers' })
  return { ...opened, card: within(card) }
}

const choose = (label: string, value: string): void =>
  void fireEvent.change(screen.getByLabelText(label), { target: { value } })

it('nobody outside is told until the owner chooses when and whom', async () => {
  const { card, calls } = await openCard(
    { afterMs: null, channels: [] },
    {
      'POST /api/outside-alerts': [200, { afterMs: 60_000, channels: [] }],
      'POST /api/outside-channels': [201, { channel: hook, secret: 'whsec_abc' }],
    },
  )
  expect(card.getByLabelText('Tell somebody outside')).toHaveProperty('value', '')
  // As with the arrow keys, which pass what lies between.
  choose('Tell somebody outside', '30000')
  choose('Tell somebody outside', '60000')
  press('button', 'Save Delay')
  expect(await card.findByText('Nobody outside is told yet: add an address.')).toBeDefined()
  choose('Add', 'webhook')
  fill({ 'Web Address': 'hooks.example.com' })
  press('button', 'Add Address')
  expect(fieldProblem('Web Address')).toContain('Please enter an address that begins with https://')
  fill({ 'Web Address': 'https://hooks.example.com' })
  press('button', 'Add Address')
  expect(await card.findByText('whsec_abc')).toBeDefined()
  expect(card.queryByText('Nobody outside is told yet: add an address.')).toBeNull()
  expect(card.getByText('Nothing was sent yet.')).toBeDefined()
  expect(screen.getByLabelText('Web Address')).toHaveProperty('value', '')
  expect(calls).toEqual([
    ['POST /api/outside-alerts', { afterMs: 60_000, was: null }],
    ['POST /api/outside-channels', { kind: 'webhook', address: 'https://hooks.example.com/' }],
  ])
})

it('says that another owner has chosen another delay meanwhile, and shows it', async () => {
  const message = 'Somebody else has changed this meanwhile. Please check what is there now.'
  const { calls, answers } = await openCard(
    { afterMs: 60_000, channels: [] },
    { 'POST /api/outside-alerts': [409, { code: 'conflict', message }] },
  )
  answers['GET /api/outside-alerts'] = [200, { afterMs: 45_000, channels: [] }]
  choose('Tell somebody outside', '')
  press('button', 'Save Delay')
  const delay = screen.getByLabelText('Tell somebody outside')
  await waitFor(() => expect(delay).toHaveProperty('value', '45000'))
  expect(await toastText()).toContain(message)
  answers['POST /api/outside-alerts'] = [200, { afterMs: null, channels: [] }]
  choose('Tell somebody outside', '')
  press('button', 'Save Delay')
  await waitFor(() =>
    expect(calls).toEqual([
      ['POST /api/outside-alerts', { afterMs: null, was: 60_000 }],
      ['POST /api/outside-alerts', { afterMs: null, was: 45_000 }],
    ]),
  )
})

it('a webhook’s secret goes with the webhook, whoever removes it', async () => {
  const { card, answers } = await openCard(
    { afterMs: null, channels: [] },
    {
      'POST /api/outside-channels': [201, { channel: hook, secret: 'whsec_abc' }],
      'DELETE /api/outside-channels/hook': [200, null],
    },
  )
  const add = async (): Promise<void> => {
    choose('Add', 'webhook')
    fill({ 'Web Address': 'https://hooks.example.com' })
    press('button', 'Add Address')
    await card.findByText('whsec_abc')
  }
  await add()
  press('button', 'Remove https://hooks.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove this address?' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(card.queryByText('whsec_abc')).toBeNull())
  // Where it was removed elsewhere, what tells of it is a coming back to the page.
  await add()
  answers['GET /api/outside-alerts'] = [200, { afterMs: null, channels: [] }]
  fireEvent(document, new Event('visibilitychange'))
  await waitFor(() => expect(card.queryByText('whsec_abc')).toBeNull())
})

it('an address whose answer was lost is in the list, so that it can be removed', async () => {
  const { card, answers } = await openCard({ afterMs: null, channels: [] })
  answers['POST /api/outside-channels'] = () => {
    answers['GET /api/outside-alerts'] = [200, { afterMs: null, channels: [hook] }]
    throw new TypeError('Failed to fetch')
  }
  choose('Add', 'webhook')
  fill({ 'Web Address': 'https://hooks.example.com' })
  press('button', 'Add Address')
  expect(await card.findByRole('button', { name: 'Remove https://hooks.example.com/' })).toBeDefined()
  expect(await toastText()).toContain('Failed to add the address')
})

it('an email address is confirmed with the code that was mailed there', async () => {
  const { card, calls } = await openCard(
    { afterMs: 60_000, channels: [mail] },
    {
      'POST /api/outside-channels/mail/confirm': [200, { ...mail, confirmed: true }],
      'POST /api/outside-channels/mail/code': [200, null],
    },
  )
  expect(card.getByText('Gets no alerts until you enter the code that was mailed there.')).toBeDefined()
  expect(card.queryByRole('button', { name: 'Send a test to me@example.com' })).toBeNull()
  press('button', 'Send a new code')
  expect(await toastText()).toContain('A new code is on its way')
  fill({ 'Code from the Email': '12345' })
  press('button', 'Confirm Address')
  expect(fieldProblem('Code from the Email')).toContain('Please enter the six digits from the email')
  fill({ 'Code from the Email': ' 123456 ' })
  press('button', 'Confirm Address')
  expect(await card.findByRole('button', { name: 'Send a test to me@example.com' })).toBeDefined()
  expect(calls).toEqual([
    ['POST /api/outside-channels/mail/code', undefined],
    ['POST /api/outside-channels/mail/confirm', { code: '123456' }],
  ])
})

it('a test says whether it arrived, and an address can be removed', async () => {
  const { card, answers } = await openCard(
    { afterMs: 45_000, channels: [hook] },
    {
      'POST /api/outside-channels/hook/test': [200, { ...hook, last: { at, problem: 'It answered 500' } }],
      'DELETE /api/outside-channels/hook': [200, null],
    },
  )
  // A delay that the list does not have, such as one that was set by a call.
  expect(card.getByRole('option', { name: '45 seconds after the manager' })).toHaveProperty('selected', true)
  press('button', 'Send a test to https://hooks.example.com/')
  expect(await card.findByText(/^Failed .+ It answered 500\.$/u)).toBeDefined()
  answers['POST /api/outside-channels/hook/test'] = [200, { ...hook, last: { at, problem: null } }]
  await pressWhenReady('Send a test to https://hooks.example.com/')
  expect(await card.findByText(/^Arrived /u)).toBeDefined()
  press('button', 'Remove https://hooks.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove this address?' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(card.queryByText('Who is told')).toBeNull())
})

it('an email address gets alerts, the weekly report, or both', async () => {
  const confirmed = { ...mail, confirmed: true }
  const { card, calls } = await openCard(
    { afterMs: 60_000, channels: [confirmed, hook] },
    {
      'PATCH /api/outside-channels/mail': (body) => [200, Object.assign({}, confirmed, body)],
      'POST /api/outside-channels/mail/report': [
        200,
        { ...confirmed, weeklyReport: true, last: { at, problem: null } },
      ],
      'DELETE /api/outside-channels/hook': [200, null],
    },
  )
  const mailed = within(card.getByRole('list', { name: 'What me@example.com gets' }))
  // Only an email address can get it.
  const report = card.getByLabelText('Weekly report, on Mondays')
  expect(report).toHaveProperty('checked', false)
  expect(card.queryByText("Send last week's report now")).toBeNull()
  fireEvent.click(report)
  await waitFor(() => expect(report).toHaveProperty('checked', true))
  expect(await toastText()).toContain('Address saved')
  fireEvent.click(card.getByText("Send last week's report now"))
  expect(await card.findByText(/^Arrived /u)).toBeDefined()
  fireEvent.click(mailed.getByLabelText('Alerts that nobody answers'))
  await waitFor(() =>
    expect(mailed.getByLabelText('Alerts that nobody answers')).toHaveProperty('checked', false),
  )
  expect(calls).toEqual([
    ['PATCH /api/outside-channels/mail', { weeklyReport: true }],
    ['POST /api/outside-channels/mail/report', undefined],
    ['PATCH /api/outside-channels/mail', { alerts: false }],
  ])
  expect(card.queryByText('Nobody outside is told yet: add an address.')).toBeNull()
  press('button', 'Remove https://hooks.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove this address?' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  expect(await card.findByText('Nobody outside is told yet: add an address.')).toBeDefined()
})

it('an address that somebody else has removed meanwhile goes from the list', async () => {
  const { card, answers } = await openCard(
    { afterMs: 60_000, channels: [hook] },
    { 'POST /api/outside-channels/hook/test': [404, { code: 'not_found', message: 'Address not found' }] },
  )
  answers['GET /api/outside-alerts'] = [200, { afterMs: 60_000, channels: [] }]
  press('button', 'Send a test to https://hooks.example.com/')
  expect(await card.findByText('Nobody outside is told yet: add an address.')).toBeDefined()
})

it('without a mail server email is not offered', async () => {
  delete document.documentElement.dataset['mail']
  const { card } = await openCard({ afterMs: null, channels: [] })
  expect(card.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Never',
    '30 seconds after the manager',
    '1 minute after the manager',
    '2 minutes after the manager',
    '5 minutes after the manager',
    '10 minutes after the manager',
    'ntfy',
    'Webhook',
  ])
  expect(card.getByLabelText('Topic Address')).toBeDefined()
})

it('a webhook is told what its owner chooses, and its log sends again what did not arrive', async () => {
  const failed = {
    id: 'd2',
    type: 'request.created',
    at,
    state: 'failed',
    attempts: 9,
    last: { at, problem: 'It answered 500' },
    data: '{"table":"7"}',
  }
  const arrived = { ...failed, id: 'd1', state: 'delivered', attempts: 1, last: { at, problem: null } }
  const { card, calls } = await openCard(
    { afterMs: null, channels: [{ ...hook, topics: ['visits'] }] },
    {
      'PATCH /api/outside-channels/hook': [200, { ...hook, topics: ['requests', 'visits'] }],
      'GET /api/outside-channels/hook/deliveries': [200, { deliveries: [failed, arrived], hasOlder: false }],
      'POST /api/outside-deliveries/d2/again': [
        200,
        { ...failed, state: 'waiting', attempts: 0, last: null },
      ],
    },
  )
  expect(card.getByLabelText('Guests who begin a visit')).toHaveProperty('checked', true)
  fireEvent.click(card.getByLabelText('New requests'))
  await waitFor(() => expect(card.getByLabelText('New requests')).toHaveProperty('checked', true))

  press('button', 'Deliveries to https://hooks.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Deliveries' }))
  const rows = await dialog.findAllByRole('listitem')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/It answered 500\. tried 9 times, given up.*\{"table":"7"\}/u),
    expect.stringContaining('Arrived '),
  ])
  const [again] = dialog.getAllByRole('button', { name: /^Send again: request\.created of /u })
  if (again) fireEvent.click(again)
  expect(await dialog.findByText('Waits to be sent')).toBeDefined()
  expect(calls).toEqual([
    ['PATCH /api/outside-channels/hook', { topics: ['requests', 'visits'], was: { topics: ['visits'] } }],
    ['POST /api/outside-deliveries/d2/again', undefined],
  ])
})

it('what is sent again while older deliveries are loading stays so', async () => {
  const delivery = {
    id: 'd2',
    type: 'request.created',
    at,
    state: 'delivered',
    attempts: 1,
    last: { at, problem: null },
    data: '{"table":"7"}',
  }
  const older = Promise.withResolvers<void>()
  let asked = 0
  await openCard(
    { afterMs: null, channels: [hook] },
    {
      'GET /api/outside-channels/hook/deliveries': async () => {
        asked += 1
        if (asked === 1) return [200, { deliveries: [delivery], hasOlder: true }]
        await older.promise
        return [200, { deliveries: [{ ...delivery, id: 'd1' }], hasOlder: false }]
      },
      'POST /api/outside-deliveries/d2/again': [200, { ...delivery, state: 'waiting', last: null }],
    },
  )
  press('button', 'Deliveries to https://hooks.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Deliveries' }))
  fireEvent.click(await dialog.findByRole('button', { name: 'Show older' }))
  fireEvent.click(dialog.getByRole('button', { name: /^Send again: request\.created/u }))
  await dialog.findByText('Waits to be sent')
  older.resolve()
  await waitFor(() => expect(dialog.getAllByRole('listitem')).toHaveLength(2))
  expect(dialog.getByText('Waits to be sent')).toBeDefined()
})

it('goes on with the first older delivery where the button that showed it is gone', async () => {
  const delivery = { type: 'request.created', at, state: 'delivered', attempts: 1, last: null, data: '{}' }
  const pages = [
    { deliveries: [{ ...delivery, id: 'd3' }], hasOlder: true },
    { deliveries: [{ ...delivery, id: 'd2' }], hasOlder: true },
    { deliveries: [{ ...delivery, id: 'd1' }], hasOlder: false },
  ]
  await openCard(
    { afterMs: null, channels: [hook] },
    { 'GET /api/outside-channels/hook/deliveries': async () => [200, pages.shift() ?? {}] },
  )
  press('button', 'Deliveries to https://hooks.example.com/')
  const opened = await screen.findByRole('dialog', { name: 'Deliveries' })
  const dialog = within(opened)
  // It takes the focus in a frame after it is shown.
  await waitFor(() => expect(opened.contains(document.activeElement)).toBe(true))
  const older = await dialog.findByRole('button', { name: 'Show older' })
  older.focus()
  fireEvent.click(older)
  await waitFor(() => expect(dialog.getAllByRole('listitem')).toHaveLength(2))
  await waitFor(() => expect(document.activeElement).toBe(older))
  fireEvent.click(older)
  await waitFor(() => expect(dialog.getAllByRole('listitem')).toHaveLength(3))
  expect(dialog.queryByRole('button', { name: 'Show older' })).toBeNull()
  // Base UI asks in the next frame whether its dialog has lost the focus.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  expect(document.activeElement).toBe(dialog.getAllByRole('listitem')[2])
})

it('a late answer to a test changes only its own address', async () => {
  const tested = Promise.withResolvers<[number, object]>()
  const second = { ...hook, id: 'second', address: 'https://second.example.com/' }
  const { card } = await openCard(
    { afterMs: 60_000, channels: [hook, second] },
    {
      'POST /api/outside-channels/hook/test': async () => await tested.promise,
      'DELETE /api/outside-channels/second': [200, null],
    },
  )
  press('button', 'Send a test to https://hooks.example.com/')
  press('button', 'Remove https://second.example.com/')
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove this address?' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(card.queryByText(/second\.example/u)).toBeNull())
  tested.resolve([200, { ...hook, last: { at, problem: null } }])
  expect(await card.findByText(/^Arrived /u)).toBeDefined()
  expect(card.queryByText(/second\.example/u)).toBeNull()
})
