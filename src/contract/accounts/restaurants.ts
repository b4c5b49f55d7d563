import * as v from 'valibot'
import { keysOf } from '../keys-of.ts'
import { RestaurantName, textField, TimeZone } from '../primitives.ts'

/** What requests sound like on the crew's screens. */
export const alarmSetLabels = { bells: 'Bells', wood: 'Wood', signals: 'Signals' } as const
export type AlarmSet = keyof typeof alarmSetLabels
export const alarmSets = keysOf(alarmSetLabels)
export const AlarmSet = v.picklist(alarmSets)

const switchFields = {
  /** Refuse requests without a valid code. */
  verifiedOnly: v.boolean(),
  /** Only crew members with a PIN can be chosen on a screen. */
  pinRequired: v.boolean(),
  /** Guests read how long their requests usually take. */
  expectedTimes: v.boolean(),
  /** Guests can write to the manager. */
  managerNotes: v.boolean(),
  /** The crew opens and closes tables. */
  seating: v.boolean(),
}
export type RestaurantSwitch = keyof typeof switchFields
export const restaurantSwitches = keysOf(switchFields)

export const RestaurantSettings = v.object({
  restaurantName: RestaurantName,
  timeZone: v.string(),
  alarmSet: AlarmSet,
  ...switchFields,
  /** The names of crew members without a PIN. */
  withoutPin: v.array(v.string()),
  /** A link to the guest page with a valid code. */
  guestLink: v.string(),
})
export type RestaurantSettings = v.InferOutput<typeof RestaurantSettings>

export const RestaurantChange = v.pipe(
  v.partial(
    v.object({ restaurantName: RestaurantName, timeZone: TimeZone, alarmSet: AlarmSet, ...switchFields }),
  ),
  v.check((change) => Object.values(change).some((value) => value !== undefined), 'Nothing to change'),
)
export type RestaurantChange = v.InferOutput<typeof RestaurantChange>

/** Typed by the owner, so that nobody deletes a restaurant by a slip. */
export const RestaurantDeletion = v.object({
  restaurantName: textField('Please enter your restaurant name', 200),
})
export type RestaurantDeletion = v.InferOutput<typeof RestaurantDeletion>

/** When everything in it is erased; null while it stays. `isDemo`: a visitor's own, which nobody has deleted. */
export type RestaurantEnding = { eraseAt: number | null; isDemo?: true }
