import * as v from 'valibot'
import { Id, Timestamp } from '../primitives.ts'

/** How many one account may have. */
export const maxOwnRestaurants = 20

/** A restaurant of the signed-in owner. */
export const OwnRestaurant = v.object({
  id: Id,
  restaurantName: v.string(),
  /** The one that this browser is signed in to. */
  isCurrent: v.boolean(),
  /** Its owner has deleted it, and can restore it from inside. */
  isDeleted: v.boolean(),
})
export type OwnRestaurant = v.InferOutput<typeof OwnRestaurant>

/** How one of them is doing. */
export const RestaurantGlance = v.object({
  /** Requests that nobody has accepted yet, and when the oldest of them was sent. */
  waiting: v.number(),
  waitingSince: v.nullable(Timestamp),
  /** Whether any screen or phone of the crew would alert somebody. */
  listening: v.boolean(),
  requestsToday: v.number(),
})
export type RestaurantGlance = v.InferOutput<typeof RestaurantGlance>
