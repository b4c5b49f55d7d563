import * as v from 'valibot'
import { RestaurantName, TimeZone } from './primitives.ts'

const switchFields = {
  /** Refuse requests without a valid code. */
  verifiedOnly: v.boolean(),
  /** Only crew members with a PIN can be chosen on a screen. */
  pinRequired: v.boolean(),
}

export const RestaurantSettings = v.object({
  restaurantName: RestaurantName,
  timeZone: v.string(),
  ...switchFields,
  /** The names of crew members without a PIN. */
  withoutPin: v.array(v.string()),
  /** A link to the guest page with a valid code. */
  guestLink: v.string(),
})
export type RestaurantSettings = v.InferOutput<typeof RestaurantSettings>

export const RestaurantChange = v.pipe(
  v.partial(v.object({ restaurantName: RestaurantName, timeZone: TimeZone, ...switchFields })),
  v.check((change) => Object.values(change).some((value) => value !== undefined), 'Nothing to change'),
)
export type RestaurantChange = v.InferOutput<typeof RestaurantChange>
