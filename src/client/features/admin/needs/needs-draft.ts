import * as v from 'valibot'
import { secondMs } from '#contract/durations.ts'
import { isOwnNeed, type Need, type OwnNeed, RestaurantNeeds } from '#contract/requests/needs.ts'
import { serviceTypeLabels } from '#contract/requests/requests.ts'
import { textIn } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import { newId } from '../../../lib/new-id.ts'
import { parseNumber } from '../../../lib/parse-number.ts'
import { formatTypedNumber } from '../../../lib/texts/format.ts'
import { fieldOf, textsOf } from '../../../lib/texts/local-texts.ts'
import { t } from '../../../lib/texts/translate.ts'
import type { Parsed } from '../../../ui/form/use-form.ts'

export const needName = (need: Need, language: string): string =>
  need.name ? textIn(need.name, language) : isOwnNeed(need) ? t('New need') : t(serviceTypeLabels[need.id])

/** Short, as the id of a tap contains it. */
export const newNeedId = (): string => newId(Date.now()).slice(-12)

export const createNeed = (): OwnNeed => ({
  id: newNeedId(),
  name: {},
  icon: 'star',
  targetMs: 90 * secondMs,
  calls: 'table',
  choices: [],
  note: false,
  hidden: false,
})

export function moveNeed(needs: readonly Need[], id: string, to: number): readonly Need[] {
  const moved = needs.find((need) => need.id === id)
  return moved ? needs.filter((need) => need !== moved).toSpliced(to, 0, moved) : needs
}

/** A new one comes last. */
export const putNeed = (needs: readonly Need[], changed: Need): readonly Need[] =>
  needs.some(({ id }) => id === changed.id)
    ? needs.map((need) => (need.id === changed.id ? changed : need))
    : [...needs, changed]

/** As typed. The names by field and language: `name de`, or the id of a choice in place of `name`. */
export type NeedForm = Record<string, string>

export function toForm(need: Need): NeedForm {
  const fields = (field: string, texts: LocalText = {}): [string, string][] =>
    Object.entries(texts).map(([language, text]) => [fieldOf(field, language), text])
  return {
    ...Object.fromEntries([
      ...fields('name', need.name),
      ...need.choices.flatMap(({ id, name }) => fields(id, name)),
    ]),
    ...(isOwnNeed(need) && {
      icon: need.icon,
      target: formatTypedNumber(need.targetMs / secondMs),
      calls: need.calls,
    }),
    note: need.note ? 'on' : '',
  }
}

/** `choices`: the ids of those that are left, of which the empty ones are dropped. */
export function parseNeed(
  form: NeedForm,
  { need, choices, language }: { need: Need; choices: readonly string[]; language: string },
): Parsed<Need> {
  const name = textsOf(form, 'name')
  const named = choices
    .map((id) => ({ id, name: textsOf(form, id) }))
    .filter((choice) => Object.keys(choice.name).length > 0)
  const given = {
    ...need,
    name: isOwnNeed(need) || Object.keys(name).length > 0 ? name : undefined,
    choices: named,
    note: form['note'] === 'on',
    ...(isOwnNeed(need) && {
      icon: form['icon'],
      targetMs: Math.round(parseNumber(form['target'] ?? '') * secondMs),
      calls: form['calls'],
    }),
  }
  const parsed = v.safeParse(RestaurantNeeds, { needs: [given] })
  const [output] = parsed.success ? parsed.output.needs : []
  if (output) return { ok: true, value: output }
  const [issue] = parsed.issues ?? []
  const [, , part, index] = issue?.path?.map(({ key }) => key) ?? []
  const choice = part === 'choices' ? named[Number(index)] : undefined
  const field = part === 'targetMs' ? 'target' : fieldOf(choice?.id ?? 'name', language)
  return { ok: false, message: issue?.message ?? 'Please enter a name', field }
}
