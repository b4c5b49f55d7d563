// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import type { Alert } from '../alerts/alerts.ts'
import { knownVoice, sayAlert, spokenText } from './spoken-alerts.ts'

const check = buildRequest({ id: 'a', tableNumber: '7', serviceType: 'check' })
const drinks = buildRequest({ id: 'b', tableNumber: '7', serviceType: 'drinks' })
const food = buildRequest({ id: 'c', tableNumber: 'Patio 3', serviceType: 'food' })
const taken = { ...check, state: 'accepted', acceptedBy: { id: 'leo', name: 'Leo' } } as const
const alert = (tables: string[], kind: Alert['kind'] = 'new'): Alert => ({ kind, tables, sound: true })

it.each([
  ['Table 7, check', alert(['7']), [check, food]],
  ['Table 7, check, drinks', alert(['7'], 'again'), [check, drinks]],
  ['2 tables need service', alert(['7', 'Patio 3']), [check, food]],
  ['Table Patio 3, food', alert(['7', 'Patio 3']), [taken, food]],
  ['Table 7 still waits', alert(['7'], 'still-waiting'), [taken]],
  [null, alert(['7']), [taken, food]],
  [null, alert(['7']), []],
])('%s', (text, given, open) => {
  expect(spokenText(given, open)).toBe(text)
})

class Utterance {
  lang = ''
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
const voice = {
  speaking: false,
  getVoices: vi.fn<() => { lang: string }[]>(),
  cancel: vi.fn<() => void>(),
  speak: vi.fn<(utterance: Utterance) => void>(),
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('SpeechSynthesisUtterance', Utterance)
  vi.stubGlobal('speechSynthesis', voice)
  document.documentElement.lang = 'en'
  voice.speaking = false
  vi.clearAllMocks()
  voice.getVoices.mockReturnValue([{ lang: 'de-DE' }, { lang: 'en_GB' }])
})

const said = () => voice.speak.mock.calls.map(([{ text, lang }]) => `${lang}: ${text}`)

it('speaks after the chime, in the language of the page, and cuts off what it was saying', () => {
  voice.speaking = true
  sayAlert(alert(['7']), () => [check])
  vi.advanceTimersByTime(800)
  expect(said()).toEqual([])
  vi.advanceTimersByTime(100)
  expect(voice.cancel).toHaveBeenCalledOnce()
  expect(said()).toEqual(['en: Table 7, check'])
})

it('says the tables of one moment together, of which only the first has a sound', () => {
  const without = (tables: string[]): Alert => ({ ...alert(tables), sound: false })
  sayAlert(without(['7']), () => [check, food])
  sayAlert(alert(['7']), () => [check, food])
  vi.advanceTimersByTime(500)
  sayAlert(without(['7', 'Patio 3']), () => [check, food])
  vi.advanceTimersByTime(399)
  expect(said()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(said()).toEqual(['en: 2 tables need service'])
  sayAlert(without(['7', 'Patio 3']), () => [check, food])
  vi.advanceTimersByTime(2_000)
  expect(said()).toHaveLength(1)
})

it('says nothing of what was taken during the chime, and only the last of two alerts', () => {
  let open = [check, food]
  sayAlert(alert(['Patio 3']), () => open)
  sayAlert(alert(['7']), () => open)
  open = [taken, food]
  vi.advanceTimersByTime(1_000)
  expect(said()).toEqual([])
  sayAlert(alert(['Patio 3']), () => open)
  vi.advanceTimersByTime(1_000)
  expect(said()).toEqual(['en: Table Patio 3, food'])
})

it.each([
  ['en', ['en-US'], 'own'],
  ['en', ['de-DE', 'en_GB'], 'own'],
  ['zh-Hans', ['zh-CN'], 'own'],
  ['vi', ['en-US'], 'foreign'],
  ['vi', [], 'none'],
] as const)('knows whether a device speaks %s with the voices %j', (language, voices, known) => {
  document.documentElement.lang = language
  voice.getVoices.mockReturnValue(voices.map((lang) => ({ lang })))
  expect(knownVoice()).toBe(known)
})

it('knows browsers that cannot speak', () => {
  vi.unstubAllGlobals()
  expect(knownVoice()).toBe('none')
})

it('says nothing in the voice of another language', () => {
  document.documentElement.lang = 'vi'
  sayAlert(alert(['7']), () => [check])
  vi.advanceTimersByTime(1_000)
  expect(said()).toEqual([])
})

it('speaks before the browser has loaded its voices', () => {
  voice.getVoices.mockReturnValue([])
  sayAlert(alert(['7']), () => [check])
  vi.advanceTimersByTime(1_000)
  expect(said()).toEqual(['en: Table 7, check'])
})
