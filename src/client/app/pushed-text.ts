import { quickMessageLabels } from '#contract/crew/messages.ts'
import type { PushedNeed } from '#contract/push.ts'
import { ownText, textIn } from '#contract/texts/languages.ts'
import { translateByPattern } from '../lib/texts/sentences.ts'
import { translate } from '../lib/texts/translate.ts'

/** How the server words its notifications. */
const patterns = [
  'Table {table} needs service',
  'A guest at table {table} wrote to you',
  'Table {table} is still waiting',
  'Table {table} · {what} · {count}×',
  '{what} · Table {table}',
  '{what} · {count} min',
  '{what} · {count} s',
  '{name} is on the way',
  '{name} is on it',
  'Table {from} moved to {to}',
  'Table {table}',
]

/** What the app itself says in place of a colleague's words. */
const ownMessageTexts = new Set<string>([...Object.values(quickMessageLabels), 'Message deleted'])

/** A push arrives in English; the device's catalogue has it in its reader's language. */
function translatePushed(text: string): string {
  const whole = translate(text)
  return whole === text ? (translateByPattern(patterns, text) ?? text) : whole
}

/** Restaurants name their needs in several languages, and a pushed text contains the first: replaces it by the reader's. */
export function nameInLanguage(text: string, { name, choice }: PushedNeed, language: string): string {
  const withChoice = (shown: string, chosen?: string): string => (chosen ? `${shown} (${chosen})` : shown)
  const isOwn = typeof name !== 'string'
  const sent = withChoice(isOwn ? ownText(name) : name, choice && ownText(choice))
  const said = withChoice(
    isOwn ? textIn(name, language) : translate(name),
    choice && textIn(choice, language),
  )
  return text.replace(sent, () => said)
}

/** Names and what a colleague wrote stay as they are. */
export function translateNotification(
  tag: string,
  title: string,
  body: string,
): { title: string; body: string } {
  if (tag.startsWith('message-')) return { title, body: ownMessageTexts.has(body) ? translate(body) : body }
  const isCall = tag.startsWith('call-')
  return { title: isCall ? translate(title) : translatePushed(title), body: translatePushed(body) }
}
