import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { type WebhookTopic, webhookTopicNames } from '#contract/outside/webhook-topics.ts'
import { startTestApp } from '../../../../test/support/app.ts'
import {
  askUntilManager,
  passTime,
  setUpOutsideReceivers,
} from '../../../../test/support/outside/outside-receivers.ts'
import { readZip } from '../../../../test/support/reading/zip-reader.ts'

const outside = setUpOutsideReceivers()
const minutes = 60_000

async function withAddress(address = 'me@example.com') {
  const restaurant = await outside.app.restaurant({ tables: ['7', '8'] })
  const { owner } = restaurant
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minutes } })
  const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'email', address } })
  const confirm = (code: string) =>
    owner.call(api.outsideAlerts.confirmChannel, { params: { id: channel.id }, body: { code } })
  return { ...restaurant, channel, params: { id: channel.id }, confirm }
}

const otherThan = (code: string): string => (code === '111111' ? '222222' : '111111')

describe('an email address', () => {
  it('gets no alerts before its owner has confirmed it with the code that was mailed there', async () => {
    const { app, mails } = outside
    const restaurant = await withAddress()
    expect(restaurant.channel.confirmed).toBe(false)
    expect(mails.received).toMatchObject([
      { to: ['me@example.com'], subject: `${restaurant.name}: confirm this address` },
    ])
    await askUntilManager(app, restaurant, '7')
    await passTime(app, 2 * minutes)
    expect(mails.received).toHaveLength(1)
    expect(await restaurant.owner.call(api.outsideAlerts.sendTest, restaurant)).toMatchObject({ status: 409 })

    const code = outside.lastCode()
    expect(await restaurant.confirm(otherThan(code))).toMatchObject({
      status: 400,
      body: { message: 'This code is wrong' },
    })
    expect(await restaurant.confirm(code)).toMatchObject({ status: 200, body: { confirmed: true } })
    expect(await restaurant.confirm(code)).toMatchObject({ status: 409 })
    await askUntilManager(app, restaurant, '8')
    await passTime(app, minutes)
    expect(mails.received).toHaveLength(2)
  })

  it('is not confirmed by guessing, by an old code or by one that was replaced', async () => {
    const restaurant = await withAddress()
    const first = outside.lastCode()
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await restaurant.confirm(otherThan(first))).status).toBe(400)
    const tooOften = {
      status: 409,
      body: { message: 'This code is too old, or was tried too often. Please get a new one.' },
    }
    expect(await restaurant.confirm(first)).toMatchObject(tooOften)
    await restaurant.owner.ok(api.outsideAlerts.sendCode, restaurant)
    const second = outside.lastCode()
    const replaced = first === second ? otherThan(second) : first
    expect((await restaurant.confirm(replaced)).status).toBe(400)
    outside.app.advance(30 * minutes)
    expect(await restaurant.confirm(second)).toMatchObject(tooOften)
    await restaurant.owner.ok(api.outsideAlerts.sendCode, restaurant)
    expect((await restaurant.confirm(outside.lastCode())).status).toBe(200)
  })

  it('of a stranger gets at most five codes an hour, from whatever restaurant', async () => {
    const first = await withAddress('stranger@example.com')
    const { owner } = await outside.app.restaurant()
    for (let sent = 1; sent < 5; sent++) await first.owner.ok(api.outsideAlerts.sendCode, first)
    const body = { kind: 'email', address: ' Stranger@Example.com' } as const
    const { status } = await owner.call(api.outsideAlerts.addChannel, { body })
    expect(status).toBe(429)
    expect((await owner.ok(api.outsideAlerts.settings, {})).channels).toEqual([])
    expect(outside.mails.received).toHaveLength(5)
  })

  it('that cannot be mailed to says so', async () => {
    outside.mails.refused.set('me@example.com', 'no such user')
    const restaurant = await withAddress()
    expect(restaurant.channel.last?.problem).toBe('The mail server answered 550')
    expect(await restaurant.owner.call(api.outsideAlerts.sendCode, restaurant)).toMatchObject({
      status: 409,
      body: { message: 'The email could not be sent. The mail server answered 550.' },
    })
  })
})

describe('a test', () => {
  it('arrives, and its outcome is shown', async () => {
    const { app, web } = outside
    const { owner, name } = await app.restaurant()
    const body = { kind: 'webhook', address: `${web.url}/hook` } as const
    const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body })
    const sendTest = () => owner.ok(api.outsideAlerts.sendTest, { params: { id: channel.id } })
    expect((await sendTest()).last).toEqual({ at: app.now(), problem: null })
    expect(JSON.parse(web.received[0]?.body ?? '')).toMatchObject({
      type: 'test',
      data: { restaurant: name },
    })
    web.answer = 404
    expect((await sendTest()).last).toEqual({ at: app.now(), problem: 'It answered 404' })
    for (let sent = 2; sent < 10; sent++) await sendTest()
    expect((await owner.call(api.outsideAlerts.sendTest, { params: { id: channel.id } })).status).toBe(429)
  })
})

describe('an address', () => {
  it('is at most one of ten', async () => {
    const { owner } = await outside.app.restaurant()
    const body = { kind: 'webhook', address: outside.web.url } as const
    const added = await Promise.all(
      Array.from({ length: 12 }, () => owner.call(api.outsideAlerts.addChannel, { body })),
    )
    expect(added.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(added.filter(({ status }) => status === 409)).toHaveLength(2)
  })

  it.for([
    [{ kind: 'webhook', address: 'ftp://example.com' }, 'Please enter an address that begins with https://'],
    [
      { kind: 'webhook', address: 'https://me:secret@example.com' },
      'Please leave the password out of the address',
    ],
    [
      { kind: 'ntfy', address: 'https://ntfy.sh/' },
      'Please enter the address of a topic, such as https://ntfy.sh/my-restaurant',
    ],
    [
      { kind: 'ntfy', address: 'https://ntfy.sh/a/b' },
      'Please enter the address of a topic, such as https://ntfy.sh/my-restaurant',
    ],
    [{ kind: 'ntfy', address: 'https://ntfy.sh/a', token: 'a\r\nx: y' }, 'Please check the access token'],
    [{ kind: 'email', address: 'a@example.com,b@example.com' }, 'Please enter a valid email'],
    [{ kind: 'sms', address: '123' }, 'Please choose how to be told'],
  ] as const)('is refused in words: %j', async ([body, message]) => {
    const { owner } = await outside.app.restaurant()
    expect(await owner.send('POST', '/api/outside-channels', body)).toMatchObject({
      status: 400,
      body: { message },
    })
  })

  it('that is not public is refused unless the operator allows it, and email without a mail server', async () => {
    const app = await startTestApp()
    const { owner } = await app.restaurant()
    const add = (body: object) => owner.send('POST', '/api/outside-channels', body)
    expect(await add({ kind: 'webhook', address: 'https://192.168.1.4/x' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Only https addresses on the public internet are reached') },
    })
    expect(await add({ kind: 'email', address: 'me@example.com' })).toMatchObject({
      status: 409,
      body: { message: 'This server sends no email' },
    })
    await app.stop()
  })
})

it('shows a webhook’s secret once, and secrets never appear in logs, exports, the audit log or anywhere else', async () => {
  const { app, web } = outside
  const { owner } = await withAddress()
  const hook = await owner.ok(api.outsideAlerts.addChannel, {
    body: { kind: 'webhook', address: `${web.url}/path-that-is-secret` },
  })
  const ntfy = await owner.ok(api.outsideAlerts.addChannel, {
    body: { kind: 'ntfy', address: `${web.url}/topic-that-is-secret`, token: 'tk_canary' },
  })
  expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
  expect(ntfy.secret).toBeNull()
  web.answer = 500
  for (const { channel } of [hook, ntfy])
    await owner.ok(api.outsideAlerts.sendTest, { params: { id: channel.id } })
  const shown = JSON.stringify([
    await owner.ok(api.outsideAlerts.settings, {}),
    await owner.ok(api.audit.list, {}),
    (await owner.send('GET', '/api/audit-log.csv')).body,
  ])
  const file = await owner.fetch(api.restaurant.download.path, { method: 'POST' })
  const exported = readZip(Buffer.from(await file.arrayBuffer()))
  const channels = String(exported.get('outside-channel.jsonl'))
  expect(channels).toContain('"address":"me@example.com"')
  expect(channels).toContain(`"address":"${new URL(web.url).host}"`)
  const everything = [...exported.values()].join('\n')
  for (const secret of [hook.secret ?? '', 'tk_canary', 'p:w@rd']) {
    expect(shown).not.toContain(secret)
    expect(everything).not.toContain(secret)
    expect(app.lines.join('')).not.toContain(secret)
  }
  expect(app.lines.join('')).not.toContain('that-is-secret')
  expect(everything).not.toContain('that-is-secret')
  expect(JSON.stringify(await owner.ok(api.audit.list, {}))).not.toContain('that-is-secret')
})

describe('two owners at once', () => {
  it('both add to what a webhook is told, and both take away from it', async () => {
    const { owner } = await outside.app.restaurant()
    const body = { kind: 'webhook' as const, address: outside.web.url }
    const { channel } = await owner.ok(api.outsideAlerts.addChannel, { body })
    const params = { id: channel.id }
    const change = (topics: WebhookTopic[], was: WebhookTopic[]) =>
      owner.ok(api.outsideAlerts.changeChannel, { params, body: { topics, was: { topics: was } } })
    const told = async () => (await owner.ok(api.outsideAlerts.settings, {})).channels[0]?.topics
    await Promise.all(webhookTopicNames.map((topic) => change([topic], [])))
    expect(await told()).toEqual(webhookTopicNames)
    await Promise.all(
      webhookTopicNames.map((topic) =>
        change(
          webhookTopicNames.filter((each) => each !== topic),
          [...webhookTopicNames],
        ),
      ),
    )
    expect(await told()).toEqual([])
  })

  it('learn that the other one has chosen when somebody outside is told', async () => {
    const { owner } = await outside.app.restaurant()
    const choose = (afterMs: number | null, was: number | null) =>
      owner.call(api.outsideAlerts.setDelay, { body: { afterMs, was } })
    const answers = await Promise.all([30_000, 60_000, 120_000].map((ms) => choose(ms, null)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const { afterMs } = await owner.ok(api.outsideAlerts.settings, {})
    expect(await choose(null, 45_000)).toMatchObject({
      status: 409,
      body: { message: 'Somebody else has changed this meanwhile. Please check what is there now.' },
    })
    expect((await choose(afterMs, null)).status).toBe(200)
    expect((await choose(null, afterMs)).body).toMatchObject({ afterMs: null })
  })
})
