import { localName } from '#contract/names.ts'
import { plural, t, translate } from './translate.ts'

/** How the server and the contract word what has values in it. */
const sentences = [
  '{name} cannot be reached right now. Please choose somebody else.',
  'Table {table} not found',
  'Too late: {what}',
  'Too many messages. Please wait {what}.',
  'Too many attempts. Please try again in {what}.',
  'Too many attempts. Please scan the code instead, or try again in {what}.',
  'Many people are signing in right now. Please try again in {what}.',
  'Many figures are being worked out right now. Please try again in {what}.',
  'Please use at most {count} characters',
  'Please shorten this: at most {count} bytes fit, and emoji take many',
  // Said to owners and managers only.
  'There is a restaurant called {name} already',
  'There is a manager called {name} already',
  'There is a need called {name} already',
  'Many figures of your restaurant are being worked out already. Please try again in {what}.',
  'Many restaurant names were registered from here. Please try again in {what}.',
  'Many restaurants are signing up right now. Please try again in {what}.',
  'Many emails were sent already. Please try again in {what}.',
  'Everything was downloaded several times already. Please try again in {what}.',
  'Somebody is downloading everything right now. Please try again in {what}.',
  'Everything is being downloaded already. Please wait until that is done, or try again in {what}.',
  'The table codes were drawn many times. Please try again in {what}.',
  'The email could not be sent. {what}.',
  'The mail server answered {status}',
  'It answered {status}: redirects are not followed',
  'It answered {status}',
  'It did not answer within {count} seconds',
  '{count} requests are waiting at this table. Delete it anyway?',
  'A restaurant has at most {count} tables',
  'A restaurant has at most {count} sections',
  'A restaurant has at most {count} buttons',
  'A day has at most {count} times',
  'A restaurant has at most {count} crew members',
  'An account has {count} restaurants at most',
  'A restaurant can have had at most {count} names',
  'There can be at most {count} addresses',
  'You have {count} passkeys. Please remove one you do not use first.',
  "Only {name} and the owner may change this password. Please enter {name}'s current password.",
  "{name}'s current password is wrong",
  'Passkeys need an address with a name. This server’s address is a number: {host}.',
  'Password must be at least {count} characters',
  'Please set up at most {count} tables',
  'Please assign at most {count} tables at once',
  'Please arrange at most {count} tables at once',
  'Please choose at most {count} days',
  // After those that it may stand in.
  '{name} is on the way',
]

/** For `setCatalogue`. A sentence that the catalogue lacks stays English. */
export function createSentenceTranslation(texts: ReadonlyMap<string, unknown>): (text: string) => string {
  const known = sentences.filter((sentence) => texts.has(sentence))
  return (text) => translateDuration(text) ?? translateByPattern(known, text) ?? text
}

/** By the first pattern that fits. What stands for `{what}` is a text of its own; names stay as they are. */
export function translateByPattern(patterns: readonly string[], text: string): string | undefined {
  for (const pattern of patterns) {
    const values = toExpression(pattern).exec(text)?.groups
    if (!values) continue
    const { what, name } = values
    return t(pattern, {
      ...values,
      ...(what && { what: translate(what) }),
      ...(name && { name: localName(name, translate) }),
    })
  }
  return undefined
}

/** A value may stand there twice. */
function toExpression(pattern: string): RegExp {
  const seen = new Set<string>()
  const source = pattern
    .replaceAll(/[$()*+.?[\\\]^|]/gu, String.raw`\$&`)
    .replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
      if (seen.has(name)) return String.raw`\k<${name}>`
      seen.add(name)
      return `(?<${name}>.+)`
    })
  return new RegExp(`^${source}$`, 'su')
}

/** A waiting time, as the server words it. */
function translateDuration(text: string): string | undefined {
  const [, amount, unit] = /^(\d+) (second|minute|hour)s?$/u.exec(text) ?? []
  const count = Number(amount)
  if (unit === 'second') return plural(count, '{count} second', '{count} seconds')
  if (unit === 'minute') return plural(count, '{count} minute', '{count} minutes')
  return unit === 'hour' ? plural(count, '{count} hour', '{count} hours') : undefined
}
