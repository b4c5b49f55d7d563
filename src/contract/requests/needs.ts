import * as v from 'valibot'
import { crewRoles } from '../crew/crew.ts'
import { minuteMs, secondMs } from '../durations.ts'
import { localText } from '../texts/local-text.ts'
import { needIcons } from './need-icons.ts'
import { NeedId, serviceTypes } from './requests.ts'

export const maxOwnNeeds = 12
export const maxChoices = 6
/** In characters of JSON: every guest's page contains them. */
const maxSize = 20_000

const areDistinct = (ids: string[]): boolean => new Set(ids).size === ids.length
const idOf = ({ id }: { id: string }): string => id

const name = localText('Please enter a name')
const switchedOff = v.optional(v.boolean(), false)

const offer = {
  /** What guests say at once with the need, such as cash or card. */
  choices: v.optional(
    v.pipe(
      v.array(v.object({ id: NeedId, name })),
      v.maxLength(maxChoices, 'A need can have at most 6 choices'),
      v.check((choices) => areDistinct(choices.map(idOf)), 'Not a valid id'),
    ),
    [],
  ),
  /** Guests may add a short text. */
  note: switchedOff,
  hidden: switchedOff,
}

/** One of the six; without a name it is called as usual. */
const SpecifiedNeed = v.object({ id: v.picklist(serviceTypes), name: v.optional(name), ...offer })
export type SpecifiedNeed = v.InferOutput<typeof SpecifiedNeed>

/** Who is called first: the table's crew, as for the six, or everybody, or whoever has the role. */
export const needCallees = ['table', 'all', ...crewRoles] as const
export type NeedCallee = (typeof needCallees)[number]

const targetMessage = 'Please choose 15 seconds to 60 minutes'

/** Crews see it under Other. */
const OwnNeed = v.object({
  id: NeedId,
  name,
  icon: v.picklist(needIcons, 'Please choose an icon'),
  /** The longest a guest should have to wait. */
  targetMs: v.pipe(
    v.number(targetMessage),
    v.safeInteger(targetMessage),
    v.minValue(15 * secondMs, targetMessage),
    v.maxValue(60 * minuteMs, targetMessage),
  ),
  calls: v.optional(v.picklist(needCallees, 'Please choose who is called first'), 'table'),
  ...offer,
})
export type OwnNeed = v.InferOutput<typeof OwnNeed>

const Need = v.variant('id', [SpecifiedNeed, OwnNeed], 'Not a valid id')
export type Need = v.InferOutput<typeof Need>

export const isOwnNeed = (need: Need): need is OwnNeed => 'icon' in need

const needsMessage = 'Please choose what guests can ask for'

/** In the order in which guests see them. Those of the six that are missing come last. */
const Needs = v.pipe(
  v.array(Need, needsMessage),
  v.check((needs) => areDistinct(needs.map(idOf)), 'Not a valid id'),
  v.check(
    (needs) => needs.filter(isOwnNeed).length <= maxOwnNeeds,
    'There can be at most 12 needs of your own',
  ),
  v.check(
    (needs) => needs.every((need) => !need.note || isOwnNeed(need) || need.id === 'other'),
    'Only Other and needs of your own can have a note',
  ),
  v.check((needs) => JSON.stringify(needs).length <= maxSize, 'Please use fewer or shorter names'),
  v.transform(withAllSpecified),
  v.check((needs) => needs.some(({ hidden }) => !hidden), 'Please leave at least one need for your guests'),
)

export const RestaurantNeeds = v.object({ needs: Needs })
export type RestaurantNeeds = v.InferOutput<typeof RestaurantNeeds>

/**
 * With `was`, what the caller saw, only the difference is applied: needs that were added, removed or moved, and of each
 * other one what differs. What somebody else has changed meanwhile in another way is refused as a conflict.
 */
export const RestaurantNeedsChange = v.object({ needs: Needs, was: v.optional(Needs) })
export type RestaurantNeedsChange = v.InferOutput<typeof RestaurantNeedsChange>

/** A list that was stored before a type was added lacks it, as one may that is sent. */
export function withAllSpecified(needs: Need[]): Need[] {
  const given = new Set(needs.map(idOf))
  return [...needs, ...defaultNeeds.filter(({ id }) => !given.has(id))]
}

/** The six, as they are until an owner changes something. */
export const defaultNeeds: readonly SpecifiedNeed[] = serviceTypes.map((id) => ({
  id,
  choices: [],
  note: false,
  hidden: false,
}))
