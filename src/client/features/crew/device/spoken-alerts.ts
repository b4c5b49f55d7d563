import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import { ownWords } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { type Alert, alertText } from '../alerts/alerts.ts'

/** As a colleague would call it across the room. */
const spokenNeeds: Record<ServiceType, () => string> = {
  general: () => t('service'),
  drinks: () => t('drinks'),
  food: () => t('food'),
  check: () => t('check'),
  assistance: () => t('assistance'),
  other: () => t('other request'),
}

/** By then the chime has ended. */
const chimeMs = 900
let pending: { alert: Alert; timer: ReturnType<typeof setTimeout> } | undefined

/**
 * Says an alert after its chime, together with those that come without a sound of their own until then. `listOpen` tells
 * what is open then; nothing while the sound is off.
 */
export function sayAlert(alert: Alert, listOpen: () => readonly ServiceRequest[]): void {
  if (!alert.sound) {
    if (pending && pending.alert.kind !== 'still-waiting') pending.alert = withTables(pending.alert, alert)
    return
  }
  clearTimeout(pending?.timer)
  const saying = { alert, timer: setTimeout(end, chimeMs) }
  pending = saying
  function end(): void {
    pending = undefined
    const text = spokenText(saying.alert, listOpen())
    if (text !== null) say(text)
  }
}

const withTables = (alert: Alert, { tables }: Alert): Alert => ({
  ...alert,
  tables: [...new Set([...alert.tables, ...tables])],
})

/** Null when somebody has taken all of it meanwhile. */
export function spokenText({ tables, kind }: Alert, open: readonly ServiceRequest[]): string | null {
  const waiting = open.filter(
    ({ state, tableNumber }) =>
      (state === 'waiting' || kind === 'still-waiting') && tables.includes(tableNumber),
  )
  const [number, ...others] = new Set(waiting.map(({ tableNumber }) => tableNumber))
  if (number === undefined) return null
  if (others.length > 0 || kind === 'still-waiting') return alertText([number, ...others], kind)
  const needs = waiting.flatMap(({ serviceType, need, choice }) => [
    need ? ownWords(need.name) : spokenNeeds[serviceType](),
    ...(choice ? [ownWords(choice.name)] : []),
  ])
  return [t('Table {number}', { number }), ...new Set(needs)].join(', ')
}

/** In the device's voice, instead of what it is saying. Another language's voice would not be understood. */
export function say(text: string): void {
  if (knownVoice() === 'foreign') return
  if (speechSynthesis.speaking) speechSynthesis.cancel()
  const utterance = new SpeechSynthesisUtterance(text)
  utterance.lang = document.documentElement.lang
  speechSynthesis.speak(utterance)
}

const baseLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/u)[0] ?? ''

/** Whether the device has a voice at all, and one that speaks the language of the page. */
export function knownVoice(): 'none' | 'foreign' | 'own' {
  const voices = 'speechSynthesis' in globalThis ? speechSynthesis.getVoices() : []
  const language = baseLanguage(document.documentElement.lang)
  if (voices.some(({ lang }) => baseLanguage(lang) === language)) return 'own'
  return voices.length > 0 ? 'foreign' : 'none'
}

/** Browsers load their voices when they are first asked for. */
export function onVoicesChange(listener: () => void): () => void {
  if (!('speechSynthesis' in globalThis)) return () => undefined
  speechSynthesis.addEventListener('voiceschanged', listener)
  return () => speechSynthesis.removeEventListener('voiceschanged', listener)
}
