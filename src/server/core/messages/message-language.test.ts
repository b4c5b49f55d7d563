import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'

const app = setUpApp()
let device: TestBrowser
let maya: string
let jonas: string

beforeAll(async () => {
  const restaurant = await app.restaurant()
  device = restaurant.device
  const add = async (name: string) =>
    (await restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })).id
  maya = await add('Maya')
  jonas = await add('Jonas')
})

async function screenOf(crewMemberId: string) {
  const screen = await device.connect()
  await screen.request({ type: 'set-crew-member-context', crewMemberId })
  return screen
}

it('the language of a message is sent with a free text, and not with a quick message', async () => {
  const [from, to] = [await screenOf(maya), await screenOf(jonas)]
  const texts = [
    { messageText: 'Hinter dir', language: 'de' },
    { messageText: 'Need a food runner', messageKey: 'NEED_RUNNER' as const, language: 'de' },
    { messageText: 'Behind you' },
  ]
  for (const text of texts) await from.request({ type: 'send-team-message', targetCrewId: jonas, ...text })
  expect((await to.next('team-message')).message).toMatchObject({ messageText: 'Hinter dir', language: 'de' })
  to.send({ type: 'get-team-messages' })
  const { messages } = await to.next('team-messages-history')
  expect(Object.fromEntries(messages.map(({ messageText, language }) => [messageText, language]))).toEqual({
    'Behind you': undefined,
    'Hinter dir': 'de',
    'Need a food runner': undefined,
  })
})

it.each(['Deutsch!', 'de_DE', 'DE', 'x'.repeat(40), ''])(
  'the language of a message is refused when it is %j',
  async (language) => {
    const screen = await screenOf(maya)
    const text = { targetCrewId: jonas, messageText: 'Hello', language }
    expect(await screen.request({ type: 'send-team-message', ...text })).toMatchObject({
      code: 'invalid',
      message: 'Not a language',
    })
  },
)
